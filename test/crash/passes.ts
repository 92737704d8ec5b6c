/** In the short form each step is passed either at once or some times before, by turns; in full length both. */
const isShort = Number(process.env['TIDEMARK_CRASH_ROUNDS'] ?? 100) < 25

/** The steps at which to end, each with how often it is passed first. */
export function withPasses<Step>(
  steps: readonly Step[],
  passesOf: (step: Step) => readonly number[],
): readonly (readonly [step: Step, passes: number])[] {
  return steps.flatMap((step, index) => {
    const all = passesOf(step)
    const passes = isShort ? [all[index % all.length]!] : all
    return passes.map((count) => [step, count] as const)
  })
}
