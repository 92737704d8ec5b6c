/**
 * A collection whose members come and go all the time. Each has a slot, whose number is reused by a later member.
 *
 * A Map would do, but for the garbage collector. V8 gives a Map a new table every few members, and the old table points to the new one and to the members
 * it had then (`next table` in V8's src/objects/ordered-hash-table.h). When one table is old garbage, it keeps the next one alive, and so on, until the whole
 * heap is marked. So most members of a busy Map, with everything they point to, outlive the young generation and are copied again and again.
 */
export class Slots<Member> {
  readonly #members: (Member | null)[] = []
  readonly #free: number[] = []

  get size(): number {
    return this.#members.length - this.#free.length
  }

  /** `make` receives the number of the slot, and must not throw. */
  add<Made extends Member>(make: (slot: number) => Made): Made {
    const slot = this.#free.pop() ?? this.#members.length
    const member = make(slot)
    this.#members[slot] = member
    return member
  }

  get(slot: number): Member | null {
    return this.#members[slot] ?? null
  }

  /** Frees an occupied slot. */
  free(slot: number): void {
    this.#members[slot] = null
    this.#free.push(slot)
  }

  /** The current members, in slot order. */
  values(): Member[] {
    return this.#members.filter((member) => member !== null)
  }
}
