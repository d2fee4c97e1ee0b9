# Autolab's guide for lab authors (docs/lab.md), the last line of an autograder: numbers by the names of problems, and numbers for the scoreboard.
(keys - ["scores", "scoreboard"]) == []
and (.scores | type == "object" and all(.[]; type == "number"))
and (.scoreboard | . == null or (type == "array" and all(.[]; type == "number")))
