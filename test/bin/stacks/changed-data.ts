import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ScriptedStack } from '../../doubles/deployed-stacks.ts'
import { readText } from '../../templates/source-files.ts'
import { guarded } from '../../templates/templates.ts'

interface TemplateText {
  readonly Resources: Readonly<Record<string, object>>
}

/**
 * Returns the template of a stage that was deployed with the table of keys under another construct id, with a table
 * more, and with another key of the table of contents.
 */
function changeData(text: string): string {
  const template: TemplateText = JSON.parse(text)
  const { TablesAccessFC9D8B84: access = {}, TablesContents11BCABFD: contents = {}, ...others } = template.Resources
  const key = /"KeySchema":\[\{"AttributeName":"owner"/
  const changed = JSON.parse(JSON.stringify(contents).replace(key, '"KeySchema":[{"AttributeName":"content"'))
  const resources = { TablesKeys0A1B2C3D: access, TablesReports0A1B2C3D: access, TablesContents11BCABFD: changed }
  return JSON.stringify({ ...template, Resources: { ...others, ...resources } })
}

const readVersion = (file: string) => readText(`test/fixtures/deployed-stages/${file}.json`)

const service = (text: string): Readonly<Record<string, ScriptedStack>> => ({
  'SearchService-dev': { isProtected: true, template: changeData(text) },
})

/** Stages of each version whose data the present version would lose. */
export const changedData: readonly (readonly [version: string, Readonly<Record<string, ScriptedStack>>])[] = [
  ['0.2.0', { ...service(readVersion('0.2.0')), 'Warehouse-dev': { template: readVersion('0.2.0-warehouse') } }],
  ['0.3.0', service(readVersion('0.3.0'))],
  ['this one', service(readFileSync(join(guarded().folder, 'SearchService.template.json'), 'utf8'))],
]

/** The lines of a refusal that name this data. */
export const dataLines = [
  '  data                    table -> replaced with an empty one: TablesContents\n',
  '  data                    table -> no longer part of the stage: TablesKeys, TablesReports\n',
]
