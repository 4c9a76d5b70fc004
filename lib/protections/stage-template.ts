import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { PrintableError } from '../../schema/printable-error.ts'

const resourceSchema = v.object({
  Type: v.string(),
  Properties: v.optional(v.record(v.string(), v.unknown()), {}),
  DeletionPolicy: v.exactOptional(v.string()),
  UpdateReplacePolicy: v.exactOptional(v.string()),
})

const templateSchema = v.object({
  Resources: v.record(v.string(), resourceSchema),
  Outputs: v.optional(v.record(v.string(), v.object({ Value: v.unknown() })), {}),
  Metadata: v.optional(v.object({ Stage: v.optional(v.unknown()) }), {}),
})

/** A resource of a template, as CloudFormation writes it. */
export type Resource = Readonly<v.InferOutput<typeof resourceSchema>>

/** Resources by their logical ids. */
export type Resources = Readonly<Record<string, Resource>>

/** The template of a stage, as it is deployed or would be. */
export interface StageTemplate {
  readonly resources: Resources
  /** Values of the outputs, by their names: texts, or CloudFormation's functions. */
  readonly outputs: Readonly<Record<string, unknown>>
  /** Settings of the stage, with defaults filled in, as the template notes them; undefined up to version 0.2.0. */
  readonly settings: unknown
}

/**
 * Reads the resources, outputs and settings of a template.
 *
 * @param text JSON, as the CDK deploys it
 * @throws PrintableError if it is not a template in JSON
 */
export function parseTemplate(stackName: string, text: string): StageTemplate {
  try {
    const { Resources: resources, Outputs, Metadata } = v.parse(templateSchema, JSON.parse(text))
    const outputs = Object.fromEntries(Object.entries(Outputs).map(([name, { Value }]) => [name, Value]))
    return { resources, outputs, settings: Metadata.Stage }
  } catch (cause) {
    throw new PrintableError(`the template of ${stackName} cannot be read: the CDK did not deploy it`, { cause })
  }
}

/**
 * Reads the template that a deploy of a cloud assembly would use.
 *
 * @param folder the output of `cdk synth`
 */
export const readAssembly = (folder: string): StageTemplate =>
  parseTemplate('SearchService', readFileSync(join(folder, 'SearchService.template.json'), 'utf8'))

/** Returns the value at a path of a JSON value; undefined if nothing is there. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  const [key, ...remainingPath] = path
  if (key === undefined) return value
  if (typeof value !== 'object' || value === null) return undefined
  return valueAt(new Map<string, unknown>(Object.entries(value)).get(key), ...remainingPath)
}

/** Returns the items of a JSON list; none if the value is not a list. */
export const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Returns the values of all properties of a name, at any depth, but not inside one of them. */
export function listValues(value: unknown, name: string): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => (key === name ? [member] : listValues(member, name)))
}

/** Returns a logical id without the CDK's hash, as people know the resource. */
export const withoutHash = (id: string): string => id.replace(/[0-9A-F]{8}$/, '')
