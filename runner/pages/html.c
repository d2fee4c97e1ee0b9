#include "html.h"

#include "../base/files.h"
#include "../base/plain.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char style_sheet[] =
    "body{font:16px/1.45 system-ui,'DejaVu Sans',sans-serif;color:#1b1f24;background:#fff;"
    "max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "h1{font-size:1.6rem;margin:0 0 .2rem}h2{font-size:1.25rem;margin:2.2rem 0 .4rem;"
    "border-top:1px solid #d0d7de;padding-top:1.2rem}h3{font-size:1rem;margin:1.4rem 0 .3rem}"
    "p{margin:.4rem 0}.quiet{color:#57606a}"
    "table{border-collapse:collapse;width:100%;margin:.6rem 0}"
    "th,td{text-align:left;vertical-align:top;overflow-wrap:break-word;padding:.35rem .8rem .35rem "
    "0;"
    "border-bottom:1px solid #d8dee4}th{font-weight:600}"
    ".n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}"
    "pre{background:#f6f8fa;padding:.7rem .9rem;white-space:pre-wrap;overflow-wrap:anywhere;"
    "font:14px/1.4 'DejaVu Sans Mono',monospace}"
    ".mark{font-size:1.25rem;font-weight:600}"
    ".word{border:1px solid #8c959f;border-radius:.3rem;padding:0 "
    ".4rem;font-size:.9rem;white-space:nowrap}"
    ".ok{border-color:#1a7f37;color:#1a7f37}.no{border-color:#b42318;color:#b42318}"
    ".bar{display:inline-block;width:9rem;height:.75rem;background:#e7ebef;vertical-align:middle}"
    ".bar i{display:block;height:100%;background:#0969da}"
    ".note{border-left:4px solid #bf8700;padding:.2rem .8rem;background:#fff8e5;margin:.4rem 0}"
    ".chart{display:flex;align-items:flex-end;height:8rem;gap:.3rem;margin:1rem 0 .2rem}"
    ".chart div{flex:1;text-align:center;font-size:.8rem}"
    ".chart i{display:block;background:#0969da}"
    ".share{display:flex;width:14rem;height:.9rem;margin-top:.3rem;background:#e7ebef}"
    ".share .all{background:#1a7f37}.share .part{background:#bf8700}"
    ".plot{max-width:100%;height:auto}"
    "@media(max-width:40rem){.bar,.share{width:4rem}body{margin:1rem auto}"
    "th,td{padding-right:.4rem}}"
    "@media print{body{margin:0}.bar i,.share div,.chart i{print-color-adjust:exact}}";

void page_begin(sb *out, const char *title)
{
    sb_puts(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                 "style-src 'unsafe-inline'; img-src data:\">"
                 "<meta name=\"viewport\" content=\"width=device-width\"><title>");
    append_html_text(out, title);
    sb_printf(out, "</title><style>%s</style></head>\n<body>\n", style_sheet);
}

void page_end(sb *out)
{
    sb_puts(out, "</body></html>\n");
}

void page_element(sb *out, const char *tag, const char *text)
{
    sb_printf(out, "<%s>", tag);
    append_html_text(out, text);
    sb_printf(out, "</%.*s>", (int)strcspn(tag, " "), tag);
}

void page_number(sb *out, const char *tag, double number)
{
    char text[32];
    snprintf(text, sizeof text, "%.10g", round(10 * number) / 10);
    page_element(out, tag, isnan(number) ? "–" : text);
}

bool page_write(const char *dir, const char *name, sb *page, char *err, size_t err_size)
{
    OWNED char *path = xprintf("%s/%s.html", dir, name);
    bool ok = write_whole_file(path, page->s, page->len);
    if (!ok)
        snprintf(err, err_size, "cannot write %s: %s", path, strerror(errno));
    sb_free(page);
    return ok;
}
