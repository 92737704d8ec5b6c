// Typed arrays that grow at their end. Loops read `values` once into a local variable; only the first `length` values are valid.

const initialLength = 16

export class GrowableInt32 {
  values: Int32Array<ArrayBuffer>
  length = 0

  /** Arrays that are filled together start with different lengths, so that they do not grow at the same time. */
  constructor(firstLength = initialLength) {
    this.values = new Int32Array(firstLength)
  }

  push(value: number): void {
    if (this.length === this.values.length) this.reserve(this.length + 1)
    this.values[this.length++] = value
  }

  /** Allocates capacity for `length` values without adding any. */
  reserve(length: number): void {
    if (length <= this.values.length) return
    const grown = new Int32Array(Math.max(length, this.values.length * 2))
    grown.set(this.values.subarray(0, this.length))
    this.values = grown
  }
}

export class GrowableFloat64 {
  values: Float64Array<ArrayBuffer>
  length = 0

  /** Arrays that are filled together start with different lengths, so that they do not grow at the same time. */
  constructor(firstLength = initialLength) {
    this.values = new Float64Array(firstLength)
  }

  push(value: number): void {
    if (this.length === this.values.length) this.reserve(this.length + 1)
    this.values[this.length++] = value
  }

  reserve(length: number): void {
    if (length <= this.values.length) return
    const grown = new Float64Array(Math.max(length, this.values.length * 2))
    grown.set(this.values.subarray(0, this.length))
    this.values = grown
  }
}
