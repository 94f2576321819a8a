// Scatters of constants with checks, as StableHLO's interpreter runs them:  stablehlo-translate --interpret -split-input-file forms.mlir

// Rows are added; the last one is outside, and dropped.
func.func @add_rows() {
  %data = stablehlo.constant dense<[[1, 2],
                                    [3, 4],  // a comment in a list
                                    [5, 6]]> : tensor<3x2xi32>
  %rows = stablehlo.constant dense<[[2], [0], [2], [7]]> : tensor<4x1xi64>
  %updates = stablehlo.constant dense<[[10, 20], [30, 40], [50, 60], [70, 80]]> : tensor<4x2xi32>
  %sum = "stablehlo.scatter"(%data, %rows, %updates) ({
    ^bb0(%there: tensor<i32>, %update: tensor<i32>):
      %new = stablehlo.add %update, %there : tensor<i32>
      stablehlo.return %new : tensor<i32>
  }) {
    scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [1],
      inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0],
      index_vector_dim = 1>,
    indices_are_sorted = false,
    unique_indices = false
  } : (tensor<3x2xi32>, tensor<4x1xi64>, tensor<4x2xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %sum, dense<[[31, 42], [3, 4], [65, 86]]> : tensor<3x2xi32>

  // Data is as before.
  check.expect_eq_const %data, dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  func.return
}

// Hexadecimal bits, as one text and one by one: 1.5, -2 and NaN of bfloat16.
func.func @bits() {
  %data = stablehlo.constant dense<"0xC03F00C0C07F"> : tensor<3xbf16>
  %place = stablehlo.constant dense<1> : tensor<1xui8>
  %update = stablehlo.constant dense<0x7F80> : tensor<bf16>
  %result = "stablehlo.scatter"(%data, %place, %update) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
  ^bb0(%arg0: tensor<bf16>, %arg1: tensor<bf16>):
    "stablehlo.return"(%arg1) : (tensor<bf16>) -> ()
  }) : (tensor<3xbf16>, tensor<1xui8>, tensor<bf16>) -> tensor<3xbf16>
  %expected = stablehlo.constant dense<[1.5, 0x7F80, 0x7FC1]> : tensor<3xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 0 : tensor<3xbf16>, tensor<3xbf16>
  func.return
}

// The generic form of all operations; a tolerance.
func.func @subtract() {
  %0 = "stablehlo.constant"() <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<2xf32>
  %1 = "stablehlo.constant"() {value = dense<[[0], [0]]> : tensor<2x1xi32>} : () -> tensor<2x1xi32>
  %2 = stablehlo.constant dense<[2.5e-01, 5.0E-1]> : tensor<2xf32>
  %3 = "stablehlo.scatter"(%0, %1, %2) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %4 = "stablehlo.subtract"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%4) : (tensor<f32>) -> ()
  }) : (tensor<2xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<2xf32>
  check.expect_almost_eq_const %3, dense<[0.2509, 1.0]> : tensor<2xf32>, tolerance = 0.001
  "func.return"() : () -> ()
}

// -----

// Truth values, and the same name again.
func.func @bits() {
  %data = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %places = stablehlo.constant dense<[[1], [0]]> : tensor<2x1xi64>
  %updates = stablehlo.constant dense<true> : tensor<2xi1>
  %result = "stablehlo.scatter"(%data, %places, %updates) ({
    ^bb0(%there: tensor<i1>, %update: tensor<i1>):
      %new = stablehlo.xor %there, %update : tensor<i1>
      stablehlo.return %new : tensor<i1>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<2xi1>, tensor<2x1xi64>, tensor<2xi1>) -> tensor<2xi1>
  check.expect_eq_const %result, dense<[true, false]> : tensor<2xi1>
  func.return
}

// Complex numbers, of which one part is given by its bits.
func.func @complex() {
  %data = stablehlo.constant dense<[(1.0, 2.0), (0x40400000, -4.0)]> : tensor<2xcomplex<f32>>
  %places = stablehlo.constant dense<[[1]]> : tensor<1x1xi64>
  %updates = stablehlo.constant dense<(0.0, 1.0)> : tensor<1xcomplex<f32>>
  %result = "stablehlo.scatter"(%data, %places, %updates) ({
    ^bb0(%there: tensor<complex<f32>>, %update: tensor<complex<f32>>):
      %new = stablehlo.multiply %there, %update : tensor<complex<f32>>
      stablehlo.return %new : tensor<complex<f32>>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<2xcomplex<f32>>, tensor<1x1xi64>, tensor<1xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  check.expect_eq_const %result, dense<[(1.0, 2.0), (4.0, 3.0)]> : tensor<2xcomplex<f32>>
  func.return
}
