print("fixcast")
