/** The rounding error of an addition (Knuth's two-sum): `sum` is `before + value` as a double. */
export function lostIn(before: number, value: number, sum: number): number {
  const added = sum - before
  return before - (sum - added) + (value - added)
}

/** The rounding error of a multiplication (Dekker's product): `product` is `left * right` as a double. Factors must not exceed 2^990. */
export function lostInProduct(left: number, right: number, product: number): number {
  const [leftHigh, rightHigh] = [upperHalf(left), upperHalf(right)]
  const [leftLow, rightLow] = [left - leftHigh, right - rightHigh]
  return leftLow * rightLow - (product - leftHigh * rightHigh - leftLow * rightHigh - leftHigh * rightLow)
}

/** The upper half of the digits of a double. */
function upperHalf(value: number): number {
  const shifted = 134_217_729 * value
  return shifted - (shifted - value)
}
