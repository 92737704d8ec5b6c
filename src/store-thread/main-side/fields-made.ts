/** Fields that rows have brought. */
export class FieldsMade {
  #learn: () => Promise<void> = async () => undefined
  #times = 0

  /** How often rows have brought fields: pushes that come after may name them. */
  get times(): number {
    return this.#times
  }

  /** Called, and awaited, when rows have brought fields, before they can be queried. */
  onMade(learn: () => Promise<void>): void {
    this.#learn = learn
  }

  /** Resolves when they are known. Where learning fails, they are known a little later. */
  async made(): Promise<void> {
    this.#times++
    await this.#learn().catch(() => undefined)
  }
}
