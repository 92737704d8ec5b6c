// Sums that keep what each addition loses, and that do not overflow while they grow.
import { lostIn } from '../../lib/lost-in-sum.ts'

/** A part is kept times this where the sum overflows: a power of two, so that nothing is rounded. */
const scale = 2 ** -128

export class ExactSum {
  #sum = 0
  #lost = 0
  #scaled = 0

  /** Adds `value` times `factor`, which is finite. */
  add(value: number, factor = 1): void {
    this.#scaled += value * scale * factor
    const part = value * factor
    const next = this.#sum + part
    this.#lost += lostIn(this.#sum, part, next)
    this.#sum = next
  }

  /** Null where it is beyond all doubles. */
  get value(): number | null {
    return this.over(1)
  }

  /** The sum divided by a number, where it is a double. */
  over(divisor: number): number | null {
    const sum = this.#sum + this.#lost
    const divided = Number.isFinite(sum) ? sum / divisor : this.#scaled / divisor / scale
    return Number.isFinite(divided) ? divided : null
  }

  clear(): void {
    this.#sum = 0
    this.#lost = 0
    this.#scaled = 0
  }
}
