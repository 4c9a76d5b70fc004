import type { Resource, Resources } from './stack-form.ts'

/** Returns the value at a path of a JSON value; undefined if nothing is there. */
export function valueAt(value: unknown, ...path: readonly (string | number)[]): unknown {
  const [key, ...remainingPath] = path
  if (key === undefined) return value
  if (typeof value !== 'object' || value === null) return undefined
  const member = Object.entries(value).find(([name]) => name === String(key))
  return member === undefined ? undefined : valueAt(member[1], ...remainingPath)
}

/** Returns the items of a JSON list; none if the value is not a list. */
export const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Returns a value of a template as text: references stay in CloudFormation's notation. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Returns the values of all properties whose names match, at any depth, but not inside a match. */
export function valuesNamed(value: unknown, name: RegExp): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => (name.test(key) ? [member] : valuesNamed(member, name)))
}

/** Returns the resources of a type, each with its logical id. */
export const resourcesOf = (resources: Resources, type: string): readonly (readonly [id: string, Resource])[] =>
  Object.entries(resources).filter(([, { Type }]) => Type === type)

/** Returns a logical id without the CDK's hash, as people know the resource. */
export const withoutHash = (id: string): string => id.replace(/[0-9A-F]{8}$/, '')
