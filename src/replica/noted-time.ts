/** When something was, by the clock, as the copy tells it, and by one that is never set and runs evenly, for how long ago that is. */
export interface NotedTime {
  readonly timeMs: number
  readonly steadyMs: number
}
