import { useState } from 'preact/hooks'

/** The parameters behind a view's path in the fragment. */
const readParameters = () => new URLSearchParams(location.hash.split('?')[1] ?? '')

/** A choice within a view that the address remembers, so that its link shows the same again; undefined until made. */
export function useLinked(name: string): [value: string | undefined, change: (value: string | undefined) => void] {
  const [value, setValue] = useState(() => readParameters().get(name) ?? undefined)
  const change = (next: string | undefined) => {
    setValue(next)
    const parameters = readParameters()
    if (next === undefined) parameters.delete(name)
    else parameters.set(name, next)
    const [path] = location.hash.split('?')
    // No new entry of the history, so that going back leaves the view.
    history.replaceState(history.state, '', parameters.size === 0 ? path : `${path}?${parameters}`)
  }
  return [value, change]
}
