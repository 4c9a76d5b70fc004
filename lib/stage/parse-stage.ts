import * as v from 'valibot'
import { findColumnFaults, replacedColumns } from '../../schema/columns/relation-columns.ts'
import { listFaults } from '../../schema/list-faults.ts'
import { PrintableError } from '../../schema/printable-error.ts'
import { requestDays } from '../../schema/request-days.ts'
import { type Stage, stageFile } from './stage.ts'
import { describeFault } from './stage-values.ts'

/** The stage file is invalid. The message names every invalid field and its value in one line. */
export class StageNotValid extends PrintableError {
  constructor(name: string, faults: readonly string[]) {
    super(`the stage "${name}" is not valid: ${faults.join('; ')}`)
  }
}

/**
 * Parses the content of a stage file.
 *
 * @param name the file's name without its extension
 * @param content parsed JSON of unknown shape
 * @throws StageNotValid naming all faults
 */
export function parseStage(name: string, content: unknown): Stage {
  const parsed = v.safeParse(stageFile, content, { message: describeFault })
  const fieldFaults = listFaults(parsed.issues ?? [], 'the file')
  const faults = [...findNameFaults(name), ...findLists(content), ...fieldFaults]
  if (!parsed.success || faults.length > 0) throw new StageNotValid(name, faults)
  const { $schema: _, publicBaseUrl, ...fields } = parsed.output
  const stage: Stage = { ...fields, name, publicBaseUrl: publicBaseUrl ?? defaultAddress(fields.customDomain) }
  faults.push(
    ...findLifetimeFaults(stage),
    ...findRelationFaults(stage),
    ...findAlarmFaults(stage),
    ...findWarehouseFaults(stage),
  )
  if (faults.length > 0) throw new StageNotValid(name, faults)
  return stage
}

function defaultAddress(customDomain: Stage['customDomain']): string {
  return customDomain === undefined
    ? 'https://{apiId}.execute-api.{region}.{domain}/{stage}'
    : `https://${customDomain.name}`
}

/** True if a stage may have the name, which is part of the names of its stacks. */
export const isStageName = (name: string): boolean => /^[A-Za-z0-9-]{1,64}$/.test(name)

function findNameFaults(name: string): readonly string[] {
  return isStageName(name) ? [] : ['its name must have 1 to 64 letters, digits and hyphens']
}

/** Refuses lists in place of objects, because Valibot takes a list for an object without fields. */
function findLists(content: unknown): readonly string[] {
  if (Array.isArray(content)) return ['the file must be an object, not a list']
  const fields = Object.entries(Object(content)).filter(
    ([name, value]) => /^(limits|loads|tags)$/.test(name) && Array.isArray(value),
  )
  return fields.map(([name]) => `${name} must be an object, not a list`)
}

/** Refuses limits with which a request would be deleted while its job still waits or runs. */
function findLifetimeFaults({ retentionDays, waitingHours, runningHours }: Stage): readonly string[] {
  const hours = requestDays(retentionDays) * 24
  if (waitingHours + runningHours < hours) return []
  return [
    `waitingHours + runningHours must be less than ${hours}, not ${waitingHours + runningHours}: ` +
      `with retentionDays ${retentionDays} a request is deleted ${hours} hours after its creation`,
  ]
}

function findRelationFaults({ warehouse }: Stage): readonly string[] {
  if (warehouse === undefined || isOfLocalAthena(warehouse)) return []
  const { columns, dataLocations } = warehouse
  const { missing, unknown } = columns === undefined ? { missing: [], unknown: [] } : findColumnFaults(columns)
  return [
    ...(dataLocations.length === 0 ? ['warehouse.dataLocations must name where your relation keeps its files'] : []),
    ...(missing.length > 0 ? [`warehouse.columns lacks the required ${missing.join(', ')}`] : []),
    ...(unknown.length > 0
      ? [`warehouse.columns names columns that rates does not have: ${unknown.map(describeUnknown).join(', ')}`]
      : []),
  ]
}

/** Refuses recipients of alarms that the stage does not have. */
function findAlarmFaults({ alarms, alarmTargets }: Stage): readonly string[] {
  return alarms || alarmTargets.length === 0 ? [] : ['alarmTargets get no alarms while alarms is false: remove either']
}

function findWarehouseFaults(stage: Stage): readonly string[] {
  const { ratesBucket, warehouse } = stage
  const fault = "ratesBucket belongs to the stage's own warehouse: remove either ratesBucket or warehouse"
  return [...(ratesBucket !== undefined && warehouse !== undefined ? [fault] : []), ...findLoadsFaults(stage)]
}

function findLoadsFaults({ loads, warehouse }: Stage): readonly string[] {
  if (loads === undefined) return []
  const { maxWorkers, schedules } = loads
  const tooLarge = schedules.filter(({ workers }) => workers > maxWorkers)
  return [
    ...(warehouse === undefined || isOfLocalAthena(warehouse)
      ? []
      : ['loads fill the warehouse of the stage: remove either loads or warehouse']),
    ...tooLarge.map(
      ({ workers }) => `loads.schedules has workers ${workers}, more than loads.maxWorkers ${maxWorkers}`,
    ),
  ]
}

/** True for the warehouse of the local Athena, which reads the loader's tables in a folder. */
const isOfLocalAthena = ({ dataLocations, feeSchedules, columns }: NonNullable<Stage['warehouse']>) =>
  dataLocations.length === 0 && feeSchedules !== 'relation' && columns === undefined

function describeUnknown(column: string): string {
  const replacement = replacedColumns.get(column)
  return replacement === undefined ? column : `${column} (${replacement})`
}
