import { Fragment } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'

const keys: readonly (readonly [keys: string, does: string])[] = [
  ['?', 'shows these keys'],
  ['Ctrl + Enter', 'SQL: runs the query, or the selected part'],
  ['Ctrl + Space', 'SQL: completes a name'],
  ['Enter', 'Explore, in the search: adds the first tag found'],
  ['Ctrl + wheel, pinch', 'a chart: zooms where the pointer is'],
  ['Drag', 'a chart: zooms in to a range'],
  ['Double click', 'a chart: zooms out'],
  ['Arrow and page keys, Home, End', 'Explore, on the strip below the chart: moves the shown range'],
  ['Click', 'Explore, with two cursors: sets A and B in turn'],
  ['Arrow keys', 'Explore, on a cursor: moves from item to item'],
  ['Tab, then arrow keys', 'tables: scroll'],
  ['Esc', 'closes a dialog'],
]

/** Whether the event comes from a text input. */
function isWriting(event: KeyboardEvent): boolean {
  const [target] = event.composedPath()
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
}

/** The list of keyboard shortcuts, opened with the question mark or a button. */
export function Keys() {
  const [open, show] = useState(false)
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === '?' && !isWriting(event)) show(true)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      <button type="button" class="button slim" onClick={() => show(true)}>
        Keys
      </button>
      {open && (
        <Dialog title="Keys" onClose={() => show(false)} onSend={() => show(false)}>
          <dl class="pairs">
            {keys.map(([key, does]) => (
              <Fragment key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{does}</dd>
              </Fragment>
            ))}
          </dl>
          <div class="actions end">
            <button type="submit" class="button first">
              Close
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
