/* Test rows for the results of PTX instructions: generate.awk makes them from forms.txt, values.cu
 * runs them. */
#ifndef PTX_VALUES_H
#define PTX_VALUES_H

/* Source operands of every thread, as bits in 64-bit words; device memory. */
struct inputs {
    const unsigned long long *s[5]; /* for each source, an array with a word for each thread */
    __device__ const unsigned long long *operator[](int k) const
    {
        return s[k];
    }
};

struct form_row {
    const char *name;                             /* text of the instruction */
    void (*kernel)(inputs, unsigned long long *); /* kernel that executes the instruction */
    const char *to;                               /* type of the destination */
    int sources;                                  /* number of source operands */
    const char *from[5];                          /* types of the sources */
    const char *tolerance;                        /* allowed difference from a recorded result */
};

extern const form_row form_table[]; /* the rows of one family of instructions */
extern const unsigned form_count;   /* number of rows in form_table */
extern const char family_name[];    /* name of the family */

#endif
