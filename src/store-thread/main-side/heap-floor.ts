import { setFlagsFromString } from 'node:v8'

export const heapFloorFlag = '--initial-old-space-size=192'

/**
 * For threads that are started from now on: as long as heap and arrays together take fewer mebibytes, the heap is hardly ever marked. That of
 * the store's thread is small, and large arrays come and go beside it; by default the collector would mark all of it for every twenty
 * megabytes of them, which at a million rows a second is as much work as validating the rows.
 */
export function raiseHeapFloor(): void {
  setFlagsFromString(heapFloorFlag)
}
