import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Smaller changes of the width cause no new query. */
const pixelStep = 50
/** The width of the axis and the panel's padding. */
const axisAndPaddingPixels = 90

/** The width in pixels of a chart's plot area in this element, rounded up; null before it is laid out. */
export function usePixels() {
  const container = useRef<HTMLDivElement>(null)
  const [pixels, setPixels] = useState<number | null>(null)
  useLayoutEffect(() => {
    const element = container.current!
    const measure = (): void => {
      const width = Math.max(pixelStep, element.clientWidth - axisAndPaddingPixels)
      setPixels(Math.ceil(width / pixelStep) * pixelStep)
    }
    measure()
    const watcher = new ResizeObserver(measure)
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [])
  return { room: container, pixels }
}
