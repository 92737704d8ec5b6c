/** A short run ends each step either the first time or after some passes, alternately; a full run does both. */
const isShort = Number(process.env['TIDEMARK_CRASH_ROUNDS'] ?? 100) < 25

/** The steps to end at, each with the number of passes before. */
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
