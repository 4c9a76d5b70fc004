/** Computes a value once for each key, and remembers it. */
export function oncePer<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const results = new Map<Key, { readonly value: Value }>()
  return (key) => {
    const result = results.get(key) ?? { value: compute(key) }
    results.set(key, result)
    return result.value
  }
}
