import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Node } from 'constructs'
import { PrintableError } from '../../schema/printable-error.ts'
import { parseStage, StageNotValid } from './parse-stage.ts'
import type { Stage } from './stage.ts'

const folder = join(import.meta.dirname, '../../stages')

/** Lists the names of the stages in `stages/`. */
export function listStages(): readonly string[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json') && file !== 'stage.schema.json')
  return files.map((file) => basename(file, '.json')).sort()
}

/**
 * Reads a stage file. The stage has the name of the file, without `.json`.
 *
 * @throws StageNotValid
 */
export function readStageFile(path: string): Stage {
  const name = basename(path, '.json')
  let content: unknown
  try {
    content = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new StageNotValid(name, [`${path} cannot be read: ${error instanceof Error ? error.message : error}`])
  }
  return parseStage(name, content)
}

/** Returns the stage of this name in `stages/`; undefined if there is none. */
export function findStage(name: string): Stage | undefined {
  const path = join(folder, `${name}.json`)
  return listStages().includes(name) && existsSync(path) ? readStageFile(path) : undefined
}

/** Returns the stage of this name in `stages/`. @throws UnknownStage */
export function requireStage(name: string): Stage {
  const stage = findStage(name)
  if (stage === undefined) throw new UnknownStage(name)
  return stage
}

/**
 * Reads the stage that the app's context names: `-c stage=prod`, or `-c stageFile=<path>`. `-c publicBaseUrl=…` and `-c
 * athenaEndpoint=…` replace addresses that are known only at run time, and `-c loadZones=<ids>` names the zones that
 * `deploy` has chosen.
 *
 * @throws UnknownStage, StageNotValid
 */
export function chooseStage(node: Node): Stage {
  const readContext = (key: string): string | undefined => {
    const value: unknown = node.tryGetContext(key)
    return typeof value === 'string' ? value : undefined
  }
  const path = readContext('stageFile')
  const stage = path === undefined ? requireStage(readContext('stage') ?? 'dev') : readStageFile(path)
  const publicBaseUrl = readContext('publicBaseUrl') ?? stage.publicBaseUrl
  const athenaEndpoint = readContext('athenaEndpoint') ?? stage.athenaEndpoint
  const located = { ...stage, publicBaseUrl, ...(athenaEndpoint !== undefined && { athenaEndpoint }) }
  return withZones(located, readContext('loadZones')?.split(','))
}

/** Returns a stage with zones for its loads, unless there are none for it. */
export function withZones(stage: Stage, zones: readonly string[] | undefined): Stage {
  if (stage.loads === undefined || zones === undefined) return stage
  return { ...stage, loads: { ...stage.loads, zones: [...zones] } }
}

/** `stages/` has no file of the given name. */
export class UnknownStage extends PrintableError {
  constructor(stage: string) {
    super(`there is no stage "${stage}"; stages/ has ${listStages().join(', ')}`)
  }
}
