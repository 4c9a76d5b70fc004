import { useLayoutEffect, useState } from 'preact/hooks'
import { readFragment, replaceFragment } from './routes.ts'

/** The parameters behind a view's path in the fragment. */
const readParameters = () => new URLSearchParams(readFragment().split('?')[1] ?? '')

const readChoice = (name: string) => readParameters().get(name) ?? undefined

/** The event of the window that tells every component of changed choices. */
const choicesChanged = 'choices-changed'

/**
 * Returns a choice within a view that the address remembers, so that its link shows the same again; undefined until it
 * is made. Components that use the same name share the choice.
 */
export function useLinked(name: string): [value: string | undefined, change: (value: string | undefined) => void] {
  const [value, setValue] = useState(() => readChoice(name))
  useLayoutEffect(() => {
    const update = () => setValue(readChoice(name))
    addEventListener(choicesChanged, update)
    return () => removeEventListener(choicesChanged, update)
  }, [name])
  return [value, (next) => changeLinked({ [name]: next })]
}

/** Changes choices of the view together, by their names. */
export function changeLinked(choices: Readonly<Record<string, string | undefined>>): void {
  const parameters = readParameters()
  for (const [name, value] of Object.entries(choices)) {
    if (value === undefined) parameters.delete(name)
    else parameters.set(name, value)
  }
  const [path = ''] = readFragment().split('?')
  replaceFragment(parameters.size === 0 ? path : `${path}?${parameters}`)
  dispatchEvent(new Event(choicesChanged))
}
