module raysteps

go 1.26.0
