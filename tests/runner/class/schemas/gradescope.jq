# Gradescope's autograder specification: a score, or scores of tests; words of closed lists.
def text: type == "string";
def number: type == "number";
def visibility: IN("hidden", "after_due_date", "after_published", "visible");
def format: IN("text", "html", "simple_format", "md", "ansi");
(keys - ["score", "execution_time", "output", "output_format", "test_output_format", "test_name_format", "visibility",
    "stdout_visibility", "extra_data", "tests", "leaderboard"]) == []
and (.score | . == null or number) and (.execution_time | . == null or number) and (.output | text)
and (.output_format | format) and (.visibility | visibility) and (.stdout_visibility | visibility)
and all(.tests // [] | .[];
    (keys - ["score", "max_score", "status", "name", "name_format", "number", "output", "output_format", "tags", "visibility",
        "extra_data"]) == []
    and (.score | number) and (.max_score | number) and (.status | IN("passed", "failed")) and (.name | text)
    and (.name_format | format) and (.number | text) and (.output | text) and (.output_format | format)
    and (.visibility | visibility))
