import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultImage } from '../../lib/stage/loads-settings.ts'
import type { Stage } from '../../lib/stage/stage.ts'
import { requireStage } from '../../lib/stage/stage-files.ts'
import { type FunctionName, functionNames } from '../../schema/function-names.ts'
import { buildApp } from './build-app.ts'
import { readText } from './source-files.ts'

/**
 * Functions that every stage deploys; `refresh-fee-schedules` only comes with an operator's relation
 * (own-relation.test.ts).
 */
export const deployedOperations = functionNames.filter((name) => name !== 'refresh-fee-schedules')

/** The deployed functions, each with the variables that it reads. */
export const deployedEnvironments = deployedOperations.map((name) => [name, listVariables(name)] as const)

/** The variables that a function's entry point names in `readEnvironment`, sorted; none if it calls it nowhere. */
export function listVariables(name: FunctionName): readonly string[] {
  const [, names = ''] = /\breadEnvironment\(\[([^\]]*)\]\)/.exec(readText(`lambdas/${name}/index.ts`)) ?? []
  return [...names.matchAll(/'(\w+)'/g)].map(([, each = '']) => each).sort()
}

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/** A resource of a template, with its logical id. */
export interface Resource {
  readonly id: string
  readonly type: string
  readonly properties: JsonObject
  readonly deletionPolicy: string | undefined
  readonly dependsOn: readonly string[]
}

/** The resources of a stage: those of its own warehouse, and all others. */
export interface Synthesised {
  readonly folder: string
  readonly service: readonly Resource[]
  readonly warehouse: readonly Resource[]
}

interface TemplateFile {
  readonly Resources: Readonly<
    Record<
      string,
      {
        readonly Type: string
        readonly Properties?: JsonObject
        readonly DeletionPolicy?: string
        readonly DependsOn?: readonly string[]
      }
    >
  >
}

/** The base of the other test stages. */
export const defaultStage: Stage = { ...requireStage('dev'), alarms: true }

/** With loads on AWS, one of them by the clock. */
export const loadedStage = {
  ...defaultStage,
  loads: {
    vcpus: 2,
    memoryGib: 4,
    scratchGib: 50,
    maxWorkers: 40,
    spot: true,
    architecture: 'arm64',
    image: defaultImage,
    clean: false,
    keepMonths: 0,
    schedules: [
      {
        cron: '0 3 6 * ? *',
        timezone: 'America/New_York',
        workers: 20,
        order: { toc: 'https://payer.example/index.json', files: [], partial: true },
      },
    ],
  },
} as const satisfies Stage

/** With every optional setting. */
export const guardedStage: Stage = {
  ...defaultStage,
  permissionsBoundary: 'workload-boundary',
  rolePath: '/workloads/rates/',
  tags: { CostCenter: 'health 42', 'acme:owner': 'rates@example.com' },
  catalogKeyArn: 'arn:aws:kms:eu-central-1:111122223333:key/ca7a1090-0000-4000-8000-000000000000',
  encryptionKeyArn: 'arn:aws:kms:eu-central-1:111122223333:key/0a1b2c3d-0000-4000-8000-000000000000',
  alarmTargets: ['operator@example.com', 'other@example.com', 'arn:aws:sns:eu-central-1:111122223333:paging'],
  accessLog: true,
  budget: { dollarsPerMonth: 300, addresses: ['owner@example.com'] },
  disposable: false,
  loads: { ...loadedStage.loads, clean: true },
}

const synthesised = new Map<Stage, Synthesised>()

/** The resources of one stage, synthesised once per process. */
export function synthesise(stage: Stage): Synthesised {
  const earlier = synthesised.get(stage)
  if (earlier !== undefined) return earlier
  const folder = mkdtempSync(join(tmpdir(), 'synthesised-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  buildApp(stage, { outdir: folder }).synth()
  const { warehouse = [], service = [] } = Object.groupBy(readTemplate(folder), ({ id }) =>
    /^Warehouse(?!Reader)/.test(id) ? 'warehouse' : 'service',
  )
  const made = { folder, service, warehouse }
  synthesised.set(stage, made)
  return made
}

export const dev = () => synthesise(defaultStage)
export const loaded = () => synthesise(loadedStage)
export const guarded = () => synthesise(guardedStage)

/** Every stage under test, by name. */
export const everyStage = [
  ['dev', dev],
  ['guarded', guarded],
] as const

function readTemplate(folder: string): readonly Resource[] {
  const text = readFileSync(join(folder, 'SearchService.template.json'), 'utf8')
  const { Resources } = JSON.parse(text) as TemplateFile
  return Object.entries(Resources).map(([id, { Type, Properties = {}, DeletionPolicy, DependsOn = [] }]) => ({
    id,
    type: Type,
    properties: Properties,
    deletionPolicy: DeletionPolicy,
    dependsOn: DependsOn,
  }))
}

/** All resources of a type. Throws if there are none, because the test would check nothing. */
export function ofType(template: readonly Resource[], type: string): readonly Resource[] {
  const resources = template.filter((resource) => resource.type === type)
  if (resources.length === 0) throw new Error(`no ${type} in the template`)
  return resources
}

/** The only resource of a type whose logical id is a construct's name and CDK's hash. */
export function named(template: readonly Resource[], type: string, name: string): Resource {
  const matches = ofType(template, type).filter(({ id }) => new RegExp(`^${name}[0-9A-F]{8}$`).test(id))
  const [only] = matches
  if (only === undefined || matches.length > 1) throw new Error(`${matches.length} resources ${type} are named ${name}`)
  return only
}

/** The part of a JSON value at a path. */
export function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let member = value
  for (const key of path) {
    if (typeof member !== 'object' || member === null) return undefined
    member = Object.entries(member).find(([name]) => name === key)?.[1]
  }
  return member
}

/** A JSON value as a list: an array as it is, or any other value as the only item. */
export function listOf(value: Json | undefined): readonly Json[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

/** A CloudFormation value as text, with references in angle brackets. */
export function render(value: Json | undefined): string {
  if (typeof value === 'string') return value
  const reference = at(value, 'Ref')
  if (typeof reference === 'string') return `<${reference}>`
  const attribute = at(value, 'Fn::GetAtt')
  if (attribute !== undefined) return `<${listOf(attribute).map(render).join('.')}>`
  const joined = at(value, 'Fn::Join')
  if (joined === undefined) return JSON.stringify(value ?? null)
  const [separator = '', parts] = listOf(joined)
  return listOf(parts).map(render).join(render(separator))
}

/** The construct id of an operation. */
export const pascal = (operation: string) =>
  operation.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())
