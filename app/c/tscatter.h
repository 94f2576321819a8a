/* tscatter from C, and from whatever calls C: the program's commands over tensors in memory and in files, in this process.

     float data[4] = {1, 2, 3, 4};
     const float updates[2] = {10, 20};
     const int64_t indices[2] = {0, -1};
     const int64_t four[] = {4}, two[] = {2}, entries[] = {2, 1};
     const tsc_tensor tensors[] = {
         {.name = "data", .bytes = data, .dtype = "float32", .rank = 1, .shape = four},
         {.name = "indices", .bytes = (void*)indices, .dtype = "int64", .rank = 2, .shape = entries},
         {.name = "updates", .bytes = (void*)updates, .dtype = "float32", .rank = 1, .shape = two},
         {.name = "output", .bytes = data, .dtype = "float32", .rank = 1, .shape = four}};
     const tsc_option sum = {"reduction", "sum"};
     const tsc_request request = {.options = &sum, .option_count = 1, .tensors = tensors, .tensor_count = 4};
     tsc_error* error = NULL;
     if (tsc_apply("ScatterNDUpdate-15", &request, NULL, &error) != TSC_OK) …  // data is 11, 2, 3, 24

   What is stable: these functions, the members of the structs and their order. New members come at the end of a struct only
   with another TSC_ABI. Every function may be called from several threads at once. None prints, catches signals, ends the
   process or lets a C++ exception out. docs/c.md has an example of each. */
#ifndef TSCATTER_H
#define TSCATTER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TSC_EXPORT __attribute__((visibility("default")))
#else
#define TSC_EXPORT
#endif

/* The number of this interface; tsc_abi() is that of the library. */
#define TSC_ABI 1

/* What the functions return: the program's exit codes. */
enum {
  TSC_OK = 0,        /* success; no difference */
  TSC_DIFFERENT = 1, /* verify, compare or run found a difference: the text says which */
  TSC_USAGE = 2,     /* the words of the request are wrong */
  TSC_FILE = 3,      /* a file cannot be read or written, or there is no memory */
  TSC_FORMAT = 4,    /* a file is not what it claims to be */
  TSC_RULE = 5,      /* a rule of the operation is broken */
  TSC_INTERNAL = 70, /* a bug in tscatter */
  TSC_STOPPED = 130  /* tsc_stop_raise() ended it; no file was written, and memory for the result is undefined */
};

/* Whatever is not TSC_OK or TSC_DIFFERENT has an error. Texts are UTF-8. */
typedef struct tsc_error {
  int code;            /* as returned */
  const char* kind;    /* "usage", "file", "format", "rule", "internal" or "stopped" */
  const char* label;   /* of the broken rule: "scatter_nd_update_15.c4"; docs/errors.md */
  const char* where;   /* the operation, the file or the option */
  const char* message; /* "indices[1, 0] must be in [-8, 8) for data axis 0, got 9" */
  const char* text;    /* all of it, as the program prints it */
} tsc_error;

typedef enum tsc_byte_order { TSC_NATIVE = 0, TSC_LITTLE = 1, TSC_BIG = 2 } tsc_byte_order;

enum { TSC_READ_ONLY = 1 }; /* of tsc_tensor.flags */

/* A tensor in the caller's memory, which stays as it is while the call lasts. */
typedef struct tsc_tensor {
  const char* name;          /* the operand: "data", "indices", …; an item of an index: "index0", …; "output"; "actual", "expected" */
  void* bytes;               /* of the first element; only those of "output" are written */
  const char* dtype;         /* "float32", "bfloat16", "float8_e4m3fn", or as NumPy writes it: "<M8[ns]", "|S3" */
  size_t rank;               /* at most 64 */
  const int64_t* shape;      /* `rank` sizes */
  const int64_t* strides;    /* in bytes, row-major or column-major without gaps; NULL: row-major */
  tsc_byte_order byte_order; /* of a dtype that is named without one */
  uint32_t flags;            /* TSC_READ_ONLY, or 0 */
  const char* device;        /* NULL or "cpu"; anything else is refused */
} tsc_tensor;

/* A flag of the command, as its --help lists them, without the dashes; _ is taken for -. An operand may be given so, too: a
   file, x.npz:name, JSON, a typed literal. A flag without a value has NULL. A flag that may be repeated may stand twice.
   Of an index, the options `index` are the items that are no tensors, in order: index1 and the option index=: are a[:, index1]. */
typedef struct tsc_option {
  const char* name;
  const char* value;
} tsc_option;

typedef struct tsc_stop tsc_stop;

typedef struct tsc_request {
  const tsc_option* options;
  size_t option_count;
  const tsc_tensor* tensors;
  size_t tensor_count;
  const tsc_stop* stop; /* NULL: the call is not stopped */
} tsc_request;

/* "0.1.0". */
TSC_EXPORT const char* tsc_version(void);
TSC_EXPORT int tsc_abi(void);

/* JSON: version, compiler, kernels, dtypes, and of each operation its id, summary, operands, attributes and examples. */
TSC_EXPORT int tsc_describe(char** text, tsc_error** error);

/* JSON: the flags that may be options of tsc_COMMAND ("apply", "verify", …) with this operation (NULL for get, compare, run): name,
   alias, value (what it is; "": it takes none), implied (the value of a flag without one; ""), repeated. */
TSC_EXPORT int tsc_flags(const char* command, const char* operation, char** text, tsc_error** error);

/* Each of the following puts what the program would print on stdout into *text (`text` may be NULL; freed with
   tsc_text_free()) and, if it fails, what went wrong into *error (`error` may be NULL). `operation`: its name, as on the
   command line. With the option json the text is the report of docs/, one JSON object in a line. */

/* Applies an operation. The result goes to the tensor "output", which has data's dtype, shape and order, and is data's own
   memory or overlaps no tensor; or to the file that the option output names; or, with in_place, into data's file. Into data's
   own memory only what is touched is written; such a change is not stopped halfway. */
TSC_EXPORT int tsc_apply(const char* operation, const tsc_request* request, char** text, tsc_error** error);

/* Reads what an index names, as `tscatter get` does: data[index]. The request has data, and the items of the index as they are
   for "numpy.setitem". The result goes to the file that the option output names, or to the tensor "output", which has data's
   dtype and the result's shape, is row-major and overlaps no tensor. With the options dry_run and json the text has the shape. */
TSC_EXPORT int tsc_get(const tsc_request* request, char** text, tsc_error** error);

/* The same, where the caller does not know how large the result will be: `alloc` gives its memory. It is called once, from a
   thread of the call, when every rule was checked, with the dtype, rank, shape, strides (row-major or column-major) and byte_order
   of the result. It sets output->bytes, and returns 0, or anything else where there is no memory (TSC_FILE). The request has no
   output; with dry_run alloc is not called. */
typedef int(tsc_alloc)(void* context, tsc_tensor* output);
TSC_EXPORT int tsc_apply_alloc(const char* operation, const tsc_request* request, tsc_alloc* alloc, void* context, char** text,
                               tsc_error** error);
TSC_EXPORT int tsc_get_alloc(const tsc_request* request, tsc_alloc* alloc, void* context, char** text, tsc_error** error);

/* An operation whose words are read once, for calls that follow each other with tensors of the same dtypes, shapes and flags, as in
   a loop: of small tensors a call then costs microseconds. The result goes to the tensor "output"; the options are the operation's
   own, threads and memory. tsc_plan_apply() takes the address of each tensor of the request, in its order; several threads may
   call it at once. */
typedef struct tsc_plan tsc_plan;
TSC_EXPORT int tsc_plan_new(const char* operation, const tsc_request* request, tsc_plan** plan, tsc_error** error);
TSC_EXPORT int tsc_plan_apply(const tsc_plan* plan, void* const* bytes, tsc_error** error);
TSC_EXPORT void tsc_plan_free(tsc_plan* plan);

/* Whether "actual", a tensor or an option, is legal for some order of the updates. docs/verify.md */
TSC_EXPORT int tsc_verify(const char* operation, const tsc_request* request, char** text, tsc_error** error);

/* Who writes what, and whether the order matters. docs/explain.md */
TSC_EXPORT int tsc_explain(const char* operation, const tsc_request* request, char** text, tsc_error** error);

/* The differences between "actual" and "expected". docs/compare.md */
TSC_EXPORT int tsc_compare(const tsc_request* request, char** text, tsc_error** error);

/* Writes random cases into the folder that the option output names. docs/generate.md */
TSC_EXPORT int tsc_generate(const char* operation, const tsc_request* request, char** text, tsc_error** error);

/* Runs the cases of the files and folders that the options cases name, and compares them with their goldens, as `tscatter
   batch` does. With json the text is a JSON object a line: one for each case, and a summary. docs/batch.md */
TSC_EXPORT int tsc_run(const tsc_request* request, char** text, tsc_error** error);

TSC_EXPORT void tsc_text_free(char* text);
TSC_EXPORT void tsc_error_free(tsc_error* error);

/* A flag that ends calls. It outlives them. tsc_stop_raise() may be called from other threads and from signal handlers; it is
   never lowered. NULL: there is no memory. */
TSC_EXPORT tsc_stop* tsc_stop_new(void);
TSC_EXPORT void tsc_stop_raise(tsc_stop* stop);
TSC_EXPORT void tsc_stop_free(tsc_stop* stop);

/* How far the call is that has this flag, as a share from 0 to 1 of its present phase; negative: it is not known. May be called
   from other threads. tsc_generate() and tsc_run() do not say it. */
TSC_EXPORT double tsc_stop_progress(const tsc_stop* stop);

#ifdef __cplusplus
}
#endif

#endif /* TSCATTER_H */
