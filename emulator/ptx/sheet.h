/* Rows of ops.def, taken apart: what an instruction may look like. */
#ifndef WARPBOOK_PTX_SHEET_H
#define WARPBOOK_PTX_SHEET_H

#include "ptx.h"

typedef enum ptx_role {
    PTX_ROLE_VALUE,  /* a scalar or a vector */
    PTX_ROLE_MEMORY, /* [address] */
    PTX_ROLE_LABEL,  /* a branch target */
    PTX_ROLE_LIST,   /* the name of a .branchtargets list */
    PTX_ROLE_CALL    /* the four operands of call */
} ptx_role;

typedef enum ptx_want {
    PTX_WANT_NTH,  /* the type with index `nth` of the instruction */
    PTX_WANT_WIDE, /* the first type, twice as wide under .wide */
    PTX_WANT_TYPE, /* `type` */
    PTX_WANT_ANY   /* nothing is said */
} ptx_want;

typedef struct ptx_shape {
    ptx_role role;
    ptx_want want;
    uint8_t nth;
    ptx_type type;
    bool pair; /* d|q */
    bool optional;
    bool result;         /* it is written, ... */
    ptx_mod result_with; /* ... with this modifier only, where it is not PTX_MOD_COUNT */
    bool updated;        /* the result is read as well */
    bool minus;          /* a minus may stand before it */
    /* It must stand with one of these modifiers, or with these types (0: any), and elsewhere if so.
     */
    bool when, elsewhere;
    uint64_t when_mods[4], when_types, when_second;
} ptx_shape;

#define PTX_MAX_ALTERNATIVES 40

/* One list of types that an instruction may bear: bit sets over ptx_type, by position. */
typedef struct ptx_alternative {
    uint8_t count;
    uint64_t set[PTX_MAX_TYPES];
} ptx_alternative;

#define PTX_MAX_GROUPS 32

/* Modifiers that have to do with each other, with the first types in `types` and the second ones in
 * `second` (0: any). */
typedef struct ptx_group {
    enum { PTX_GROUP_ONE, PTX_GROUP_AT_MOST_ONE, PTX_GROUP_ALL_OR_NONE } kind;
    uint64_t mods[4];
    uint64_t types, second;
} ptx_group;

/* A modifier that may stand with the first types in `types` and the second ones in `second` (0:
 * any). A modifier may have several. */
typedef struct ptx_permit {
    ptx_mod mod;
    uint64_t types, second;
} ptx_permit;

#define PTX_MAX_PERMITS 160

typedef struct ptx_row {
    uint8_t shape_count, required; /* operands in all, and those that must be there */
    ptx_shape shape[PTX_MAX_OPERANDS];
    uint8_t alternative_count;
    ptx_alternative alternative[PTX_MAX_ALTERNATIVES];
    uint32_t vecs;   /* legal vector widths: bit 2 for .v2, bit 4 for .v4, bit 8 */
    uint32_t spaces; /* legal state spaces: bits by ptx_space */
    uint8_t permit_count;
    const ptx_permit *permit; /* [permit_count]: legal modifiers */
    uint8_t group_count;
    ptx_group group[PTX_MAX_GROUPS];
    bool implemented; /* the handler is not `none` */
    const char *isa;  /* PTX ISA section */
} ptx_row;

/* The row of an operation; never NULL. Thread-safe. */
const ptx_row *ptx_sheet_row(ptx_op op);

/* Type that operand I of the instruction should have as far as the sheet says, else PTX_NOTYPE. */
ptx_type ptx_operand_type(const ptx_insn *in, unsigned i);

/* Words of the sheet that could not be read: 0 in a sheet without mistakes. For tests. */
unsigned ptx_sheet_mistakes(void);

#endif
