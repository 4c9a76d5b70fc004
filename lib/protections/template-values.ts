import type { Resource, Resources } from './stack-form.ts'

/** The value at a path of a JSON value; undefined if there is none. */
export function valueAt(value: unknown, ...path: readonly (string | number)[]): unknown {
  const [key, ...rest] = path
  if (key === undefined) return value
  if (typeof value !== 'object' || value === null) return undefined
  const member = Object.entries(value).find(([name]) => name === String(key))
  return member === undefined ? undefined : valueAt(member[1], ...rest)
}

/** The items of a JSON list; none if the value is no list. */
export const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** A value of a template as text: references stay in CloudFormation's notation. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** All values of a JSON value, at any depth, whose property has a name that matches. */
export function valuesNamed(value: unknown, name: RegExp): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => (name.test(key) ? [member] : valuesNamed(member, name)))
}

/** The resources of a type. */
export const resourcesOf = (resources: Resources, type: string): readonly (readonly [id: string, Resource])[] =>
  Object.entries(resources).filter(([, { Type }]) => Type === type)

/** A logical id without the CDK's hash, as people know the resource. */
export const withoutHash = (id: string): string => id.replace(/[0-9A-F]{8}$/, '')
