# PrairieLearn's documentation of external grading: results.json.
def text: type == "string";
def number: type == "number";
(.gradable | type == "boolean")
and (if .gradable then (.score | number and . >= 0 and . <= 1) else .score == null and (.format_errors | text) end)
and (.message | text) and (.output | . == null or text)
and all(.tests // [] | .[]; (.name | text) and (.description | . == null or text) and (.points | number)
    and (.max_points | number) and (.output | . == null or text))
