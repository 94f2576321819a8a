// Constants that other functions return, and a check as a custom call, as JAX's tests of StableHLO have them.
module @jit_main attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<4xf16> {jax.result_info = "", mhlo.layout_mode = "default"}) {
    %c = stablehlo.constant dense<[[3], [-1], [1]]> : tensor<3x1xi32>
    %0:2 = call @inputs() : () -> (tensor<4xf16>, tensor<3xf16>)
    %1 = call @expected() : () -> tensor<4xf16>
    %2 = "stablehlo.scatter"(%0#0, %c, %0#1) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg0: tensor<f16>, %arg1: tensor<f16>):
      %3 = stablehlo.maximum %arg0, %arg1 : tensor<f16>
      stablehlo.return %3 : tensor<f16>
    }) : (tensor<4xf16>, tensor<3x1xi32>, tensor<3xf16>) -> tensor<4xf16>
    stablehlo.custom_call @check.expect_close(%2, %1) {has_side_effect = true} : (tensor<4xf16>, tensor<4xf16>) -> ()
    return %2 : tensor<4xf16>
  }
  func.func private @inputs() -> (tensor<4xf16> {mhlo.layout_mode = "default"}, tensor<3xf16> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<4xf16>
    %cst_0 = stablehlo.constant dense<[5.000000e+00, 6.000000e+00, -7.000000e+00]> : tensor<3xf16>
    return %cst, %cst_0 : tensor<4xf16>, tensor<3xf16>
  }
  func.func private @expected() -> (tensor<4xf16> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<"0x0000003C00400345"> : tensor<4xf16>
    return %cst : tensor<4xf16>
  }
}
