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

const manifestSchema = v.object({
  artifacts: v.record(
    v.string(),
    v.object({ type: v.string(), properties: v.optional(v.record(v.string(), v.unknown()), {}) }),
  ),
})

const stackSchema = v.object({
  templateFile: v.string(),
  stackName: v.string(),
  terminationProtection: v.optional(v.boolean(), false),
})

/** A resource of a template, as CloudFormation writes it. */
export type Resource = Readonly<v.InferOutput<typeof resourceSchema>>

/** Resources by their logical ids. */
export type Resources = Readonly<Record<string, Resource>>

/** A stack as it is deployed, or as a deploy would make it. */
export interface StackForm {
  readonly name: string
  /** Its termination protection, which no template contains. */
  readonly isProtected: boolean
  readonly resources: Resources
  /** Values of the template's outputs, by their names: texts, or CloudFormation's functions. */
  readonly outputs: Readonly<Record<string, unknown>>
  /** The same outputs as CloudFormation has computed them; none of a stack that is not deployed. */
  readonly values: Readonly<Record<string, string>>
  /** Settings of the stage, with defaults filled in, as the template notes them; undefined in earlier versions. */
  readonly settings?: unknown
}

/**
 * Reads the resources, outputs and settings of a template.
 *
 * @param text JSON, as the CDK deploys it
 * @throws PrintableError if it is not a template in JSON
 */
export function parseTemplate(stackName: string, text: string): Pick<StackForm, 'resources' | 'outputs' | 'settings'> {
  try {
    const { Resources: resources, Outputs, Metadata } = v.parse(templateSchema, JSON.parse(text))
    const outputs = Object.fromEntries(Object.entries(Outputs).map(([name, { Value }]) => [name, Value]))
    return { resources, outputs, settings: Metadata.Stage }
  } catch (cause) {
    throw new PrintableError(`the template of ${stackName} cannot be read: the CDK did not deploy it`, { cause })
  }
}

/**
 * Reads the stacks that a cloud assembly would deploy.
 *
 * @param folder the output of `cdk synth`
 */
export function readAssembly(folder: string): readonly StackForm[] {
  const readFile = (name: string) => readFileSync(join(folder, name), 'utf8')
  const { artifacts } = v.parse(manifestSchema, JSON.parse(readFile('manifest.json')))
  return Object.values(artifacts).flatMap(({ type, properties }) => {
    if (type !== 'aws:cloudformation:stack') return []
    const { templateFile, stackName: name, terminationProtection: isProtected } = v.parse(stackSchema, properties)
    return [{ name, isProtected, ...parseTemplate(name, readFile(templateFile)), values: {} }]
  })
}
