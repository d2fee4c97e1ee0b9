/* What the planner and the kernels agree on. C and CUDA C++. */
#pragma once

enum {
    FFT_DIMS = 5,    /* of lines: a batch, two other dimensions, two of what a line is split into */
    FFT_RADICES = 8, /* of a pass, at most: 2187 = 3^7 */
    FFT_GREATEST_RADIX = 127, /* of primes; a length with a greater one is a convolution */
    FFT_THREADS_F32 = 512,    /* of a block, at most */
    FFT_THREADS_F64 = 256,
    FFT_PER = 8,     /* elements of a thread, at most */
    FFT_PAD_F32 = 4, /* after so many powers of two of elements the tile has a gap: 128 bytes */
    FFT_PAD_F64 = 3,
    FFT_PLACE_SIZE = 32, /* bytes that the place of a line takes in shared memory */
};

/* What the numbers of a side's memory are. */
enum fft_form {
    FFT_COMPLEX,
    FFT_REAL, /* real parts alone */
    FFT_HALF, /* the first half of a line, of `count` elements, whose other half is its conjugate */
    FFT_PAIRS, /* two reals are a complex number */
    FFT_SPLIT, /* the half spectrum of a line of pairs */
};

/* Where the lines of a pass come from or go to. Element j of a line has the index
 * sum(i[d] * index[d]) + j * jump, i the line's place, and lies index * step + sum(i[d] * pitch[d])
 * elements from `at`. */
typedef struct fft_side {
    void *at;
    int form;     /* enum fft_form */
    int by_lines; /* lanes walk from line to line */
    int swap;     /* real and imaginary part: so a forward transform is an inverse one */
    int conjugate;
    const void *table; /* elements are multiplied by table[index]; `conjugate`: by its conjugate */
    long long count;   /* indices that there are: others are 0, or not written */
    long long step, jump; /* from an index to the next one; from an element of a pass */
    long long pitch[FFT_DIMS], index[FFT_DIMS];
} fft_side;

/* Transforms of `length` along many lines, `lines` in each block. */
typedef struct fft_pass {
    int length, lines, dims, radix_count;
    int results; /* elements of a line that are written */
    int radix[FFT_RADICES];
    long long extent[FFT_DIMS], line_count;
    fft_side in, out;
    const void *roots;  /* exp(-2 pi i k / length) */
    const void *split;  /* the same of twice the length, of FFT_SPLIT */
    const void *filter; /* the spectrum of a convolution, which is the transform then */
    const void *fine,
        *coarse; /* of a line in parts: double exp(-2 pi i k / n), of k and of k << bits */
    int bits;
} fft_pass;
