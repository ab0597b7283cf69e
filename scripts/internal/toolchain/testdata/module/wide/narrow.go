package wide

func Narrow() int { return 1 }
