import { useEffect, useMemo, useState } from 'preact/hooks'

/** True while the window is not wider than this. */
export function useNarrow(rem: number): boolean {
  const query = useMemo(() => globalThis.matchMedia?.(`(max-width: ${rem}rem)`), [rem])
  const [isNarrow, setNarrow] = useState(query?.matches ?? false)
  useEffect(() => {
    if (query === undefined) return undefined
    const update = () => setNarrow(query.matches)
    update()
    query.addEventListener('change', update)
    return () => query.removeEventListener('change', update)
  }, [query])
  return isNarrow
}
