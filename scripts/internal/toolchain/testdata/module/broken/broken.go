package broken

func f() int { return "text" }
