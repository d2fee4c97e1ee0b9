/* Test rows for the results of PTX instructions: generate.awk makes them from forms.txt, values.cu
 * runs them. */
#ifndef PTX_VALUES_H
#define PTX_VALUES_H

/* Source operands of every thread, as bits in 64-bit words; device memory. */
struct inputs {
    const unsigned long long *s[5];
    __device__ const unsigned long long *operator[](int k) const
    {
        return s[k];
    }
};

struct form_row {
    const char *name; /* text of the instruction */
    void (*kernel)(inputs, unsigned long long *);
    const char *to; /* type of the destination */
    int sources;
    const char *from[5]; /* types of the sources */
    const char *tolerance;
};

extern const form_row form_table[];
extern const unsigned form_count;
extern const char family_name[];

#endif
