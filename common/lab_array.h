/* Device arrays that detect stores past their ends and elements that a kernel has not written. */
#ifndef WARPBOOK_LAB_ARRAY_H
#define WARPBOOK_LAB_ARRAY_H

#include <dlfcn.h>

#include "lab_base.h"

/* Number of elements of the guard on each side of an array, memory that nobody may write. Guards
 * are multiples of 512 bytes, so that the array is aligned as by cudaMalloc. */
enum { LAB_GUARD_ELEMENTS = 1024 }; /* elements of the guard on each side of an array */

/* Initial contents of an array. For floats LAB_POISON is a NaN that differs from those of
 * arithmetic and of the guards, so that a check can tell where a NaN comes from. LAB_LETTERS is for
 * bytes: letters and spaces, as unevenly distributed as in text. */
enum lab_content {
    LAB_RANDOM, /* random values */
    LAB_POISON, /* a value that marks elements that were never written */
    LAB_ALIKE,  /* one value, and among so many equal ones a few that are random */
    LAB_LETTERS /* random letters and spaces */
};

static const uint32_t LAB_POISON_FLOAT = 0x7FC0DEADu, LAB_GUARD_FLOAT = 0x7FC0FE9Cu; /* NaNs */
static const uint32_t LAB_GUARD_OF_OUTPUT = 0x100u; /* outputs have other guards than inputs */
static const uint32_t LAB_POISON_INT = 0xDEADBEEFu, LAB_GUARD_INT = 0x5AFE9CE5u; /* integers */

/* Fill *VALUE, a float or an integer of 1, 4 or 8 bytes, with repetitions of BITS. */
template <class T> static void lab_fill_with_bits(uint32_t bits, T *value)
{
    for (size_t done = 0; done < sizeof *value; done += sizeof bits)
        memcpy((char *)value + done, &bits,
               sizeof *value < sizeof bits ? sizeof *value : sizeof bits);
}

static inline void lab_poison(float *value)
{
    lab_fill_with_bits(LAB_POISON_FLOAT, value);
}
template <class T> static void lab_poison(T *value)
{
    lab_fill_with_bits(LAB_POISON_INT, value);
}
static inline void lab_guard_value(float *value, uint32_t change = 0)
{
    lab_fill_with_bits(LAB_GUARD_FLOAT ^ change, value);
}
template <class T> static void lab_guard_value(T *value, uint32_t change = 0)
{
    lab_fill_with_bits(LAB_GUARD_INT ^ change, value);
}

/* A random value: uniform in [low, high) for floats, in low..high for integers. */
static inline void lab_random_value(float *value, double low, double high)
{
    *value = (float)(low + (high - low) * (double)(lab_bits() >> 40) / (double)(1 << 24));
}

template <class T> static void lab_random_value(T *value, double low, double high)
{
    *value = (T)(low + (double)(lab_bits() % (uint64_t)(high - low + 1)));
}

/* A random letter, about as frequent as in English; one in 32 is a capital. */
template <class T> static void lab_random_letter(T *value)
{
    static const char often[] = "                  eeeeeeeeeetttttttaaaaaaooooooiiiiinnnnnssssshhhh"
                                "hrrrrddddllllcccuuummwwffggyyppbbvk,.";
    uint64_t bits = lab_bits();
    char letter = often[(bits >> 8) % (sizeof often - 1)];
    *value = (T)(bits % 32 == 0 && letter >= 'a' ? letter - 'a' + 'A' : letter);
}

template <class T> static double lab_default_range(T *)
{
    return sizeof(T) == 1 ? 100 : 1000;
}
static inline double lab_default_range(float *)
{
    return 1;
}

/* Tell the emulator that the value at ADDRESS is wrong: a run that it has recorded can be stepped
 * through from where this value was written. SENTENCE: what it is and should be. */
static inline void lab_register_wrong(const void *address, const char *sentence)
{
    static const auto tell =
        (void (*)(const void *, const char *))dlsym(RTLD_DEFAULT, "__cudaWarpbookWrong");
    if (tell)
        tell(address, sentence);
}

/* Tell the emulator, which reports kernels that touch a guard, that the N elements of SIZE bytes at
 * ARRAY have guards on both sides. A GPU's runtime has no such call. */
static inline void lab_register_guards(const void *array, size_t size, long n)
{
    static const auto tell =
        (void (*)(const void *, size_t, size_t))dlsym(RTLD_DEFAULT, "__cudaWarpbookArray");
    if (tell)
        tell(array, size, (size_t)n);
}

/* An entry of the list of all arrays, whose guards are checked. */
struct lab_guarded_array {
    lab_guarded_array *next; /* the next array in the list of all arrays */
    virtual bool intact(void) = 0; /* no kernel has written to the array's guards */
};

static inline lab_guarded_array *&lab_arrays(void)
{
    static lab_guarded_array *first;
    return first;
}

/* N elements on the device, with a guard on both ends. array[i] is the host's copy of the initial
 * value of element i; array.device is the pointer for kernels. Long arrays repeat a tile of random
 * values, so that the host need not store them. Freed at the end of its scope. */
template <class T> struct lab_array : lab_guarded_array {
    T *device;
    long n;
    lab_content content;

    explicit lab_array(long n, lab_content content = LAB_RANDOM)
        : lab_array(n, content, -lab_default_range((T *)0), lab_default_range((T *)0))
    {
    }

    lab_array(long n, lab_content content, double low, double high)
        : device(NULL), n(n), content(content), base(NULL), tile(NULL),
          period(n <= (1 << 20) ? n : 1000003)
    {
        next = lab_arrays();
        lab_arrays() = this;
        tile = (T *)malloc((size_t)(period > 0 ? period : 1) * sizeof(T));
        if (!tile)
            lab_stop(1, "The host has no memory for %ld elements.", period);
        for (long i = 0; i < period; i++) {
            if (content == LAB_RANDOM || content == LAB_ALIKE)
                lab_random_value(&tile[i], low,
                                 content == LAB_RANDOM || lab_bits() % 4096 == 0 ? high : low);
            else if (content == LAB_LETTERS)
                lab_random_letter(&tile[i]);
            else
                lab_poison(&tile[i]);
        }
        size_t bytes = (size_t)(n + 2 * LAB_GUARD_ELEMENTS) * sizeof(T);
        if (cudaMalloc((void **)&base, bytes) != cudaSuccess) {
            base = NULL;
            cudaGetLastError();
            if (lab_run().device_lost)
                return;
            lab_fail("the device has no memory for an array of %ld elements.", n);
            return;
        }
        device = base + LAB_GUARD_ELEMENTS;
        upload();
        lab_register_guards(device, sizeof(T), n);
    }

    ~lab_array()
    {
        lab_guarded_array **link = &lab_arrays();
        while (*link != this)
            link = &(*link)->next;
        *link = next;
        cudaFree(base);
        free(tile);
    }

    lab_array(const lab_array &) = delete;
    lab_array &operator=(const lab_array &) = delete;

    T operator[](long i) const
    {
        return tile[i < period ? i : i % period]; // a division is slow
    }

    /* Copy elements FIRST .. FIRST + COUNT - 1 from the device. */
    bool download(T *to, long first, long count) const
    {
        cudaError_t error =
            cudaMemcpy(to, device + first, (size_t)count * sizeof(T), cudaMemcpyDeviceToHost);
        lab_check_call(error, "reading the result back", "lab_array.h", __LINE__);
        return error == cudaSuccess;
    }

    bool intact(void) override
    {
        T now[LAB_GUARD_ELEMENTS], mark;
        guard_value(&mark);
        if (!base)
            return true;
        for (int end = 0; end < 2; end++) {
            long first = end ? n : -LAB_GUARD_ELEMENTS;
            if (!download(now, first, LAB_GUARD_ELEMENTS))
                return false;
            for (long k = 0; k < LAB_GUARD_ELEMENTS; k++) {
                long i = end ? k : LAB_GUARD_ELEMENTS - 1 - k;
                if (memcmp(&now[i], &mark, sizeof mark) == 0)
                    continue;
                lab_fail("element %ld of an %s array of %ld was written, which is %ld %s: is that "
                         "store guarded?",
                         first + i, content == LAB_POISON ? "output" : "input", n, k + 1,
                         end ? "past the end" : "before the start");
                return false;
            }
        }
        return true;
    }

  private:
    T *base;
    T *tile;
    long period;

    /* The guard of an output differs from that of an input. Otherwise a kernel that copies past
     * both ends would store bits equal to those present, and go undetected. */
    void guard_value(T *mark) const
    {
        lab_guard_value(mark, content == LAB_POISON ? LAB_GUARD_OF_OUTPUT : 0);
    }

    void upload(void)
    {
        T guard[LAB_GUARD_ELEMENTS];
        for (int i = 0; i < LAB_GUARD_ELEMENTS; i++)
            guard_value(&guard[i]);
        CUDA_CHECK(cudaMemcpy(device, tile, (size_t)period * sizeof(T), cudaMemcpyHostToDevice));
        for (long done = period; done < n;) {
            long count = done <= n - done ? done : n - done;
            CUDA_CHECK(cudaMemcpy(device + done, device, (size_t)count * sizeof(T),
                                  cudaMemcpyDeviceToDevice));
            done += count;
        }
        /* A device-to-device copy does not block the host; a copy from the host waits for it. */
        CUDA_CHECK(cudaMemcpy(base, guard, sizeof guard, cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaMemcpy(device + n, guard, sizeof guard, cudaMemcpyHostToDevice));
    }
};

/* Check the guards of all existing arrays. */
static inline bool lab_guards_intact(void)
{
    for (lab_guarded_array *array = lab_arrays(); array; array = array->next)
        if (!array->intact())
            return false;
    return true;
}

#endif
