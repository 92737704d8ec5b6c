/** A number for each group. */
export class Amounts {
  readonly #first: number
  #values = new Float64Array(0)

  /** `first` is the initial value of each group. */
  constructor(first = 0) {
    this.#first = first
  }

  at(group: number): number {
    return group < this.#values.length ? this.#values[group] : this.#first
  }

  add(group: number, amount: number): void {
    if (group >= this.#values.length) this.#grow(group)
    this.#values[group] += amount
  }

  set(group: number, value: number): void {
    if (group >= this.#values.length) this.#grow(group)
    this.#values[group] = value
  }

  #grow(group: number): void {
    const grown = new Float64Array(Math.max(group + 1, this.#values.length * 2, 16))
    if (this.#first !== 0) grown.fill(this.#first, this.#values.length)
    grown.set(this.#values)
    this.#values = grown
  }
}
