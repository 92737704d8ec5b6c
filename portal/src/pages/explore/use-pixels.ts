import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Another width by less asks for nothing anew. */
const pixelStep = 50
/** What stands beside the lines: the axis and the panel's own room. */
const besideLines = 90

/** How many pixels wide the lines of a chart in this element are, rounded up; null before it is laid out. */
export function usePixels() {
  const room = useRef<HTMLDivElement>(null)
  const [pixels, setPixels] = useState<number | null>(null)
  useLayoutEffect(() => {
    const element = room.current!
    const measure = (): void => {
      const width = Math.max(pixelStep, element.clientWidth - besideLines)
      setPixels(Math.ceil(width / pixelStep) * pixelStep)
    }
    measure()
    const watcher = new ResizeObserver(measure)
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [])
  return { room, pixels }
}
