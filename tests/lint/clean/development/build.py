print("builds the pages")
