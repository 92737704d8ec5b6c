import { setFlagsFromString } from 'node:v8'

export const heapFloorFlag = '--initial-old-space-size=192'

/**
 * For threads that are started from now on: while heap and arrays together take less than this number of mebibytes, the heap is hardly ever marked. The heap
 * of the store's thread is small, but large arrays are allocated and freed next to it. By default the collector would mark the whole heap for every 20 MB of
 * arrays, which at a million rows per second is as much work as validating the rows.
 */
export function raiseHeapFloor(): void {
  setFlagsFromString(heapFloorFlag)
}
