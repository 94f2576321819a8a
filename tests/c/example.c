#include <stdio.h>
#include <string.h>
#include <tscatter.h>

static int fail(tsc_error* error) {
  fprintf(stderr, "%s\n", error->text);
  const int code = error->code;
  tsc_error_free(error);
  return code;
}

int main(void) {
  float data[] = {1, 2, 3, 4};
  float updates[] = {10, 20};
  int64_t indices[] = {0, -1};
  const int64_t four[] = {4}, two[] = {2}, entries[] = {2, 1};
  tsc_tensor tensors[] = {
      {.name = "data", .bytes = data, .dtype = "float32", .rank = 1, .shape = four},
      {.name = "indices", .bytes = indices, .dtype = "int64", .rank = 2, .shape = entries},
      {.name = "updates", .bytes = updates, .dtype = "float32", .rank = 1, .shape = two},
      {.name = "output", .bytes = data, .dtype = "float32", .rank = 1, .shape = four}};
  const tsc_option options[] = {{"reduction", "sum"}, {"json", NULL}};
  tsc_request request = {.options = options, .option_count = 1, .tensors = tensors, .tensor_count = 4, .stop = NULL};
  tsc_error* error = NULL;

  /* In data's own memory. */
  if (tsc_apply("ScatterNDUpdate-15", &request, NULL, &error) != TSC_OK) return fail(error);
  printf("%g %g %g %g\n", data[0], data[1], data[2], data[3]);

  /* What another runtime made of it, without the second update. */
  float actual[] = {21, 2, 3, 24};
  tensors[3].name = "actual";
  tensors[3].bytes = actual;
  char* text = NULL;
  const int code = tsc_verify("ScatterNDUpdate-15", &request, &text, &error);
  if (code != TSC_OK && code != TSC_DIFFERENT) return fail(error);
  printf("%.*s\n", (int)strcspn(text, "\n"), text); /* the first line is the verdict */
  tsc_text_free(text);

  /* A rule is broken. */
  indices[1] = 4;
  if (tsc_apply("ScatterNDUpdate-15", &request, NULL, &error) == TSC_OK) return 1;
  tsc_error_free(error);
  request.tensor_count = 3;
  request.option_count = 2;
  if (tsc_explain("ScatterNDUpdate-15", &request, &text, &error) != TSC_RULE) return 1;
  printf("%s, %s\n", error->kind, error->label);
  tsc_error_free(error);
  return 0;
}
