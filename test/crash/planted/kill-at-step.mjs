// Ends the process as a power cut does when a step is reached: KILL_AT_STEP=<step>:<how many times it is passed first>.

/** A hook for one thread; without the variable it does nothing. */
export function killAtStep() {
  const [step, passed] = (process.env.KILL_AT_STEP ?? '').split(':')
  let left = Number(passed ?? 0)
  return (reached) => {
    if (reached === step && left-- <= 0) process.kill(process.pid, 'SIGKILL')
  }
}
