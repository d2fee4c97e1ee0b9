#include "judged_launch.h"

#include "../recording/recording.h"
#include "noise.h"

#include <string.h>

const transcript_entry *launch_of_reference(const launch_standard *s)
{
    return !s->write && s->row < s->against->count ? &s->against->row[s->row] : NULL;
}

uint64_t launch_contents_seed(const launch_standard *s, const judge_rule *r)
{
    return s->key + (s->row + 1) * 1000 + r->parameter;
}

uint64_t launch_scalars_digest(const launch_standard *s, const char *kernel,
                               launch_parameter *parameter, const void *launch)
{
    uint64_t digest = 0;
    for (size_t i = 0; i < s->rules->count; i++) {
        const judge_rule *r = &s->rules->row[i];
        size_t bytes = 0;
        if (r->role == RULE_SCALAR && !strcmp(r->kernel, kernel)) {
            const uint8_t *p = parameter(launch, r->parameter, &bytes);
            digest = rec_digest_bytes(digest + 1, p ? p : (const uint8_t *)"", p ? bytes : 0);
        }
    }
    return digest;
}

void launch_explain_difference(const launch_standard *s, const transcript_entry *own, char *why,
                               size_t cap)
{
    const transcript_entry *want = launch_of_reference(s);
    if (want)
        transcript_explain_difference(want, own, why, cap);
    else if (!s->write)
        snprintf(why, cap, "it launches %s more often than the reference", own->kernel);
}

uint64_t launch_compared_elements(const judge_rule *r, uint64_t bytes)
{
    return bytes <= MAX_WHOLE_ARRAY_BYTES ? bytes / rule_element_bytes(r->type) : SAMPLE_ELEMENTS;
}

uint64_t launch_sample_seed(const launch_standard *s, const judge_rule *r)
{
    return s->key + s->row * 8 + r->parameter;
}

uint64_t launch_compared_index(const launch_standard *s, const judge_rule *r, uint64_t bytes,
                               uint64_t k)
{
    return bytes <= MAX_WHOLE_ARRAY_BYTES ? k
                                          : noise_sample_index(launch_sample_seed(s, r), k,
                                                               bytes / rule_element_bytes(r->type));
}

/* Compare OUTPUT with output K of the reference's launch E. */
static void compare_output(const launch_standard *s, const judge_rule *r, const launch_output *own,
                           const transcript_entry *e, uint32_t k, char *why, size_t cap)
{
    const char *mine = own->elements, *want = s->against->bytes + e->out[k].offset;
    const size_t size = rule_element_bytes(r->type);
    const uint64_t count = launch_compared_elements(r, own->bytes);
    uint64_t first = 0, wrong = 0;
    if (own->bytes != e->out[k].all || count * size != e->out[k].bytes) {
        snprintf(why, cap, "parameter %u points to %llu bytes, expected %llu", r->parameter,
                 (unsigned long long)own->bytes, (unsigned long long)e->out[k].all);
        return;
    }
    if (own->digest == e->out[k].all_digest && !memcmp(mine, want, count * size))
        return;
    for (uint64_t i = count; i-- > 0;) {
        if (!rule_is_element_same(r, mine + i * size, want + i * size)) {
            first = i;
            wrong++;
        }
    }
    if (wrong) {
        snprintf(why, cap, "element %llu is %.9g, expected %.9g; %llu of %llu%s wrong",
                 (unsigned long long)launch_compared_index(s, r, own->bytes, first),
                 read_rule_value(r->type, mine + first * size),
                 read_rule_value(r->type, want + first * size), (unsigned long long)wrong,
                 (unsigned long long)count, count * size < own->bytes ? " checked elements" : "");
    } else if (!rule_is_float(r->type) || !(r->tolerance > 0)) {
        snprintf(why, cap, "a few elements differ from the reference");
    }
}

void launch_judge_output(const launch_standard *s, const judge_rule *r, const launch_output *output,
                         transcript_entry *own, char *why, size_t cap)
{
    const transcript_entry *want = launch_of_reference(s);
    const uint32_t k = own->outs++;
    if (s->write) {
        own->out[k].all = output->bytes;
        own->out[k].all_digest = output->digest;
        transcript_store_output(s->write, own, k, output->elements,
                                launch_compared_elements(r, output->bytes) *
                                    rule_element_bytes(r->type));
    } else if (want && k < want->outs && !*why) {
        compare_output(s, r, output, want, k, why, cap);
    }
}
