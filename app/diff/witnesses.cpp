// The witnesses, as text. Under a question of `ops --diff` (under none: runtimes differ there, the
// operations do not) stand its cases, "case NAME: what it shows", and under a case its calls: the
// forms that they are for, and the command line. Of several names each is a case, with its name in
// the place of {case}. A call for several forms is written for rows of one axis, and the others are
// given its operands in their shapes; `entries` are all forms whose indices are entries. An
// operation puts its own words in the places of {index} (a dtype of indices), {axis} and the
// reduction, and leaves out what only others of its form have; one that takes a single value gets
// the first of updates. The first case that two operations answer differently is shown; an
// operation of another form is given the first call.
#include "diff/witness.hpp"

namespace tscatter::app {

const std::string_view witness_text = R"(
question form
case row: a row of data [2, 2]
rows           --data 2x2xf32=0 --indices 1x{index}=1 --updates 1x2xf32=5,6 --axis {axis}
case element: an element of data [2, 2], by its coordinates
nd             --data 2x2xf32=0 --indices 1x2x{index}=1,0 --updates 1xf32=5 --axis {axis}
case elements: two elements of data [2, 2], by their positions along axis 0
elements       --data 2x2xf32=0 --indices 1x2x{index}=1,0 --updates 1x2xf32=5,6 --axis {axis}
case window: a window of two elements of data [3]
window         --data 3xf32=0 --indices 1x1x{index}=1 --updates 1x2xf32=5,6 --update-window-dims 1 --scatter-dims-to-operand-dims 0
case batched-row: a row of one batch of data [1, 2, 1]
batched_rows   --data 1x2x1xf32=0 --indices 1x1x{index}=1 --updates 1x1x1xf32=5 --axis {axis}
case start: from the start 1 in one batch of data [1, 2]
start          --data 1x2xf32=0 --indices 1x{index}=1 --updates 1x1xf32=5 --axis {axis}
case index: an element of data [2], by an index
index          --data 2xf32=0 --index 1x{index}=1 --updates 1xf32=5
case slice: a slice of data [3]
slice          --data 3xf32=0 --start 1 --stop 2 --step 1 --updates 1xf32=5 --axis {axis}
case flat: an element of data [2, 2], by its position in row-major order
flat           --data 2x2xf32=0 --indices 1x{index}=1 --updates 1xf32=5
case mask: where a mask of data [2] is true
mask           --data 2xf32=0 --mask [false,true] --updates 1xf32=5
case section: a slice of data [3], or its element 1
section        --data 3xf32=0 --indices 1 --start 1 --stop 2 --step 1 --updates 1xf32=5 --axis {axis}
case diagonal: a diagonal of data [2, 2]
diagonal       --data 2x2xf32=0 --offset 1 --updates 1xf32=5
case segment: a row for each of two segments
segment        --indices 2x{index}=0,1 --updates 2xf32=5,6 --num-segments 2
case block: one element of data [2, 2], by its start along each axis
block          --data 2x2xf32=0 --indices 2x{index}=1,0 --updates 1x1xf32=5

question reductions
case none: an update without a reduction, or with the first that there is
rows,elements,nd,index,flat --data 2xf32=6,6 --indices 1x{index}=1 --updates 1xf32=2 --axis {axis}
segment        --indices 2x{index}=1,1 --updates 2xf32=2,4 --num-segments 2
case sum: an update with the reduction
entries        --data 2xf32=6,6 --indices 1x{index}=1 --updates 1xf32=2 --axis {axis} --reduction sum
segment        --indices 2x{index}=1,1 --updates 2xf32=2,4 --num-segments 2 --reduction sum
case sub: an update with the reduction
entries        --data 2xf32=6,6 --indices 1x{index}=1 --updates 1xf32=2 --axis {axis} --reduction sub
case prod,min,max,mean: an update with the reduction
entries        --data 2xf32=6,6 --indices 1x{index}=1 --updates 1xf32=2 --axis {axis} --reduction {case}
segment        --indices 2x{index}=1,1 --updates 2xf32=2,4 --num-segments 2 --reduction {case}
case and,or,xor: an update with the reduction
entries        --data 2xi32=6,6 --indices 1x{index}=1 --updates 1xi32=3 --axis {axis} --reduction {case}

question dtypes of data
case bf16,u8,u16,u32,u64,f64,c64,c128,bool: data of the dtype
entries        --data 2x{case}=0,0 --indices 1x{index}=1 --updates 1x{case}=1 --axis {axis}
segment        --indices 1x{index}=1 --updates 1x{case}=1 --num-segments 2

question dtypes of indices
case i32,i64,i16,u8,i8: indices of the dtype
entries        --data 2xi32=0,0 --indices 1x{case}=1 --updates 1xi32=5 --axis {axis}
segment        --indices 1x{case}=1 --updates 1xf32=5 --num-segments 2
case u64: indices of the dtype
entries,flat   --data 2xi32=0,0 --indices 1xu64=1 --updates 1xi32=5 --axis {axis}
segment        --indices 1xu64=1 --updates 1xf32=5 --num-segments 2

question length of indices
case : three indices along an axis of 2
entries        --data 2xf32=0,0 --indices 3x{index}=0,1,0 --updates 3xf32=5,6,7 --axis {axis}

question axis
case : no axis is given
entries        --data 2xf32=0,0 --indices 1x{index}=1 --updates 1xf32=5

question shape of updates
case : one entry with updates of shape [1]
rows,elements  --data 3xf32=0 --indices 1 --updates 1xf32=7 --axis {axis}
start          --data 3xf32=0 --indices 1 --updates 1xf32=7 --axis {axis}
nd             --data 3xf32=0 --indices 1x{index}=1 --updates 1xf32=7
batched_rows   --data 3xf32=0 --indices 1 --updates 1xf32=7
index          --data 3xf32=0 --index 1 --updates 1xf32=7
case two: two entries with updates of their own, or with the first one
rows,elements  --data 3xf32=0 --indices 2x{index}=0,1 --updates 2xf32=5,6 --axis {axis}
mask           --data 2xf32=0 --mask [true,true] --updates 2xf32=5,6
case value: one value for one entry
rows,elements  --data 3xf32=0 --indices 1x{index}=1 --updates 7 --axis {axis}
case ones: an axis of length 1 in front
elements       --data 3xi32=0 --indices 1x{index}=1 --updates 1x1xi32=7 --axis {axis}
index          --data 3xi32=0 --index 1:2 --updates 1x1xi32=7
case fewer: two updates for three entries
flat           --data 3xf32=0 --indices 3x{index}=0,1,2 --updates 2xf32=5,6
mask           --data 3xf32=0 --mask [true,true,true] --updates 2xf32=5,6
case of-places: two updates for the last two of three places
mask           --data 3xf32=0 --mask [false,true,true] --updates 2xf32=5,6

question negative index
case : index -1
entries,flat,block --data 3xi32=0,0,0 --indices 1x{index}=-1 --updates 1xi32=7 --axis {axis}
section        --data 3xi32=0,0,0 --indices -1 --updates 1xi32=7 --axis {axis}
segment        --indices 1x{index}=-1 --updates 1xf32=7 --num-segments 3
case low: index -1, and a number that is less than the one there
entries,flat   --data 3xi32=9,9,9 --indices 1x{index}=-1 --updates 1xi32=3 --axis {axis}
section        --data 3xi32=9,9,9 --indices -1 --updates 1xi32=3 --axis {axis}

question index out of range
case : index 4 into 3 places
entries,flat,block --data 3xi32=0,0,0 --indices 1x{index}=4 --updates 1xi32=7 --axis {axis}
section        --data 3xi32=0,0,0 --indices 4 --updates 1xi32=7 --axis {axis}
segment        --indices 1x{index}=4 --updates 1xf32=7 --num-segments 3
case cut: a window of two that begins at the last of 3 places
window         --data 3xi32=0,0,0 --indices 1x1x{index}=2 --updates 1x2xi32=7,8 --update-window-dims 1 --scatter-dims-to-operand-dims 0
block          --data 3xi32=0,0,0 --indices 1x{index}=2 --updates 2xi32=7,8

question duplicates
case : two entries name one place
entries        --data 3xi32=0,0,0 --indices 2x{index}=1,1 --updates 2xi32=7,8 --axis {axis}
segment        --indices 2x{index}=1,1 --updates 2xf32=7,8 --num-segments 3

question min, max
case nan: NaN meets 2, and 1 meets NaN
entries        --data 2xf32=nan,1 --indices 2x{index}=0,1 --updates 2xf32=2,nan --axis {axis} --reduction max
segment        --indices 4x{index}=0,0,1,1 --updates 4xf32=nan,2,1,nan --num-segments 2 --reduction max
case zeros: 0.0 meets -0.0, and -0.0 meets 0.0
entries        --data 2xf32=0.0,-0.0 --indices 2x{index}=0,1 --updates 2xf32=-0.0,0.0 --axis {axis} --reduction max
segment        --indices 4x{index}=0,0,1,1 --updates 4xf32=0.0,-0.0,-0.0,0.0 --num-segments 2 --reduction max
case least-nan: the lesser of NaN and 2, and of 1 and NaN
entries        --data 2xf32=nan,1 --indices 2x{index}=0,1 --updates 2xf32=2,nan --axis {axis} --reduction min
segment        --indices 4x{index}=0,0,1,1 --updates 4xf32=nan,2,1,nan --num-segments 2 --reduction min
case least-zeros: the lesser of 0.0 and -0.0, and of -0.0 and 0.0
entries        --data 2xf32=0.0,-0.0 --indices 2x{index}=0,1 --updates 2xf32=-0.0,0.0 --axis {axis} --reduction min
segment        --indices 4x{index}=0,0,1,1 --updates 4xf32=0.0,-0.0,-0.0,0.0 --num-segments 2 --reduction min

question sums and products
case float16: 2048, 1 and 1 meet 0
entries        --data 1xf16=0 --indices 3x{index}=0,0,0 --updates 3xf16=2048,1,1 --axis {axis} --reduction sum
segment        --indices 3x{index}=0,0,0 --updates 3xf16=2048,1,1 --num-segments 1 --reduction sum
case float32: 16777216, 1 and 1 meet 0
entries        --data 1xf32=0 --indices 3x{index}=0,0,0 --updates 3xf32=16777216,1,1 --axis {axis} --reduction sum
segment        --indices 3x{index}=0,0,0 --updates 3xf32=16777216,1,1 --num-segments 1 --reduction sum

question use_init_val = false
case : 2 is added where 5 does not count
entries        --data 1xf32=5 --indices 1x{index}=0 --updates 1xf32=2 --axis {axis} --reduction sum --use-init-val false
segment        --indices 2x{index}=1,1 --updates 2xf32=2,4 --num-segments 2
case prod: 5 is multiplied by 2, or does not count
rows,elements  --data 1xf32=5 --indices 1x{index}=0 --updates 1xf32=2 --axis {axis} --reduction prod --use-init-val false
nd             --data 1xf32=5 --indices 1x1x{index}=0 --updates 1xf32=2 --reduction prod
index          --data 1xf32=5 --index 1x{index}=0 --updates 1xf32=2 --reduction prod
flat           --data 1xf32=5 --indices 1x{index}=0 --updates 1xf32=2 --reduction prod
case infinity: the greatest of -inf alone
rows,elements  --data 1xf32=5 --indices 1x{index}=0 --updates 1xf32=-inf --axis {axis} --reduction max --use-init-val false
nd             --data 1xf32=5 --indices 1x1x{index}=0 --updates 1xf32=-inf --reduction max
index          --data 1xf32=5 --index 1x{index}=0 --updates 1xf32=-inf --reduction max
flat           --data 1xf32=5 --indices 1x{index}=0 --updates 1xf32=-inf --reduction max

question mean of integers
case : the mean of -3 and 0
entries        --data 1xi32=-3 --indices 1x{index}=0 --updates 1xi32=0 --axis {axis} --reduction mean
segment        --indices 2x{index}=0,0 --updates 2xi32=-3,0 --num-segments 1 --reduction mean

question divisor of a mean
case integers: the mean of 128 numbers in int8
rows,elements,nd,index --data 1xi8=1 --indices 127x{index}=0 --updates 127xi8=1 --axis {axis} --reduction mean
segment        --indices 128x{index}=0 --updates 128xi8=1 --num-segments 1 --reduction mean
case floats: the mean of 512 numbers in bfloat16
rows,elements,nd,index --data 1xbf16=512 --indices 511x{index}=0 --updates 511xbf16=0 --axis {axis} --reduction mean
segment        --indices 512x{index}=0 --updates 512xbf16=1 --num-segments 1 --reduction mean

question
case minus-infinity-alone: max of -inf where 5 does not count
entries        --data 1xf32=5 --indices 1x{index}=0 --updates 1xf32=-inf --axis {axis} --reduction max --use-init-val false
case minus-zero-alone: -0.0 is added where 5 does not count
entries        --data 1xf32=5 --indices 1x{index}=0 --updates 1xf32=-0.0 --axis {axis} --reduction sum --use-init-val false
case bfloat16-stalls: 1 and 1 meet 256
entries        --data 1xbf16=256 --indices 2x{index}=0,0 --updates 2xbf16=1,1 --axis {axis} --reduction sum
case beside-the-axis: coordinates 0 and 2 in data [2, 2]: not the element after the first row
nd             --data 2x2xf32=0 --indices 1x2x{index}=0,2 --updates 1xf32=7
index          --data 2x2xf32=0 --index 1x{index}=0 --index 1x{index}=2 --updates 1xf32=7
case uint8-index-200: index 200 of uint8 into 300 places
entries        --data 300xf32=0 --indices 1xu8=200 --updates 1xf32=7 --axis {axis}
case int16-index-30000: index 30000 of int16 into 70000 places
entries        --data 70000xf32=0 --indices 1xi16=30000 --updates 1xf32=7 --axis {axis}
case int32-product: 2 times 3
entries        --data 1xi32=2 --indices 1x{index}=0 --updates 1xi32=3 --axis {axis} --reduction prod
case int64-beyond-32-bits: 2^40 + 1 beside 2^33
entries        --data 2xi64=8589934592,0 --indices 1x{index}=1 --updates 1xi64=1099511627777 --axis {axis}
case uint32-beyond-int32: the greater of 1 and 2^31
entries        --data 1xu32=1 --indices 1x{index}=0 --updates 1xu32=2147483648 --axis {axis} --reduction max
case float64-beyond-float32: an update beside 1e300
entries        --data 2xf64=1e300,0 --indices 1x{index}=1 --updates 1xf64=0.1 --axis {axis}
case more-batches-than-places: five batches of four places, circular
start          --data 5x4xf32=0 --indices 5x{index}=0,1,2,3,4 --updates 5x1xf32=1,2,3,4,5 --axis {axis} --mode circular
)";

}  // namespace tscatter::app
