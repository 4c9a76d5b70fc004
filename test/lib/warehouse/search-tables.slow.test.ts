import { describe, expect, it } from 'vitest'
import { searchTables } from '../../../schema/columns/search-tables.ts'
import { noFileLists } from '../../../schema/environment.ts'
import { at, defaultStage, dev, listOf, ofType, pascal, render, synthesise } from '../../templates/templates.ts'

const folders = () => synthesise({ ...defaultStage, searchFiles: 'folders' })

function variableOf({ service }: ReturnType<typeof dev>, name: string): string {
  const startQuery = ofType(service, 'AWS::Lambda::Function').find(({ id }) => id.startsWith(pascal('start-query')))
  return render(at(startQuery?.properties, 'Environment', 'Variables', name))
}

/** The place of lists in the variables of start-query. */
const listsLocation = (template: ReturnType<typeof dev>) => variableOf(template, 'FILE_LISTS_LOCATION')

/** The objects that start-query may write. */
const writtenBy = ({ service }: ReturnType<typeof dev>) =>
  ofType(service, 'AWS::IAM::Policy')
    .filter(({ id }) => id.startsWith('StartQuery'))
    .flatMap(({ properties }) => listOf(at(properties, 'PolicyDocument', 'Statement')))
    .filter((statement) => [at(statement, 'Action')].flat().some((action) => render(action).includes('s3:PutObject')))
    .map((statement) => render(at(statement, 'Resource')))

describe('the tables of searches', () => {
  const tables = () => {
    const template = dev()
    const glueTables = ofType(template.warehouse, 'AWS::Glue::Table').map(({ properties }) =>
      at(properties, 'TableInput'),
    )
    return searchTables.map(({ name, table }) => {
      const find = (wanted: string) => glueTables.find((input) => render(at(input, 'Name')) === wanted)
      return { name, input: find(name), original: find(table.name), lists: listsLocation(template) }
    })
  }

  it('copy the columns of the tables over the same files', () => {
    for (const { input, original } of tables()) {
      expect(input).toBeDefined()
      expect(at(input, 'StorageDescriptor', 'Columns')).toEqual(at(original, 'StorageDescriptor', 'Columns'))
    }
  })

  it('read the lists where searches write them, by a partition that the query names', () => {
    for (const { name, input, lists } of tables()) {
      expect(render(at(input, 'StorageDescriptor', 'Location'))).toBe(`${lists}${name}/`)
      expect(render(at(input, 'StorageDescriptor', 'InputFormat'))).toMatch(/SymlinkTextInputFormat$/)
      expect(listOf(at(input, 'PartitionKeys')).map((key) => at(key, 'Name'))).toEqual(['search_id'])
      expect(at(input, 'Parameters', 'projection.search_id.type')).toBe('injected')
    }
  })
})

describe('start-query', () => {
  it('may write lists of files, in their own place', () => {
    const lists = listsLocation(dev())
    expect(lists).toMatch(/^s3:\/\/.*\/file-lists\/$/)
    expect(writtenBy(dev()).some((resource) => resource.endsWith('/file-lists/*'))).toBe(true)
  })

  it('falls back to folders only in a stage that has not chosen', () => {
    const ways = [defaultStage, { ...defaultStage, searchFiles: 'lists' }] as const
    const templates = ways.map(synthesise)
    expect(templates.map((template) => variableOf(template, 'SEARCH_FILES'))).toEqual(['auto', 'lists'])
    expect(templates.map(listsLocation)).not.toContain(noFileLists)
  })

  it('writes none in a stage whose searches name folders, over the same tables', () => {
    expect(listsLocation(folders())).toBe(noFileLists)
    expect(writtenBy(folders()).filter((resource) => resource.includes('file-lists'))).toEqual([])
    const idsOf = ({ warehouse }: ReturnType<typeof dev>) => ofType(warehouse, 'AWS::Glue::Table').map(({ id }) => id)
    expect(idsOf(folders())).toEqual(idsOf(dev()))
  })
})
