# What github-education-resources/autograding-grading-reporter reads of a runner's result.
def text: type == "string";
def number: type == "number";
def status: IN("pass", "fail", "error");
.version == 1 and (.status | status) and (.max_score | number)
and (.tests | type == "array" and length > 0)
and all(.tests[]; (.name | text) and (.status | status) and (.score | number) and (.message | text)
    and (.test_code | text) and (.filename | text) and (.line_no | number))
