import { describe, expect, it } from 'vitest'
import { at, dev, guarded, loaded, ofType, type Synthesised } from '../../templates/templates.ts'

/** Returns the inputs of the views of a stage. */
function viewsOf({ warehouse }: Synthesised) {
  const inputs = ofType(warehouse, 'AWS::Glue::Table').map(({ properties }) => at(properties, 'TableInput'))
  return inputs.filter((input) => at(input, 'TableType') === 'VIRTUAL_VIEW')
}

describe.each([
  ['dev', dev],
  ['guarded', guarded],
  ['loaded', loaded],
])('a view of the stage %s', (_, synthesised) => {
  it('contains the fields that Athena’s CREATE VIEW writes, and no description, which Trino takes for the comment', () => {
    const views = viewsOf(synthesised())
    expect(views.map((view) => at(view, 'Name'))).toEqual(['rates', 'rates_current'])
    for (const view of views)
      expect(view).toEqual({
        Name: expect.any(String),
        Owner: 'hadoop',
        TableType: 'VIRTUAL_VIEW',
        Parameters: { presto_view: 'true', comment: 'Presto View' },
        PartitionKeys: [],
        StorageDescriptor: { Columns: expect.any(Array), Location: '', SerdeInfo: {} },
        ViewOriginalText: expect.stringMatching(/^\/\* Presto View: [A-Za-z0-9+/]+=* \*\/$/),
        ViewExpandedText: '/* Presto View */',
      })
  })

  it('names its catalog in lower case, and for Trino runs with the rights of its owner', () => {
    for (const view of viewsOf(synthesised())) {
      const [, encoded = ''] = /^\/\* Presto View: (\S+) \*\/$/.exec(String(at(view, 'ViewOriginalText'))) ?? []
      const definition = JSON.parse(Buffer.from(encoded, 'base64').toString())
      expect(Object.keys(definition)).toEqual(['originalSql', 'catalog', 'schema', 'columns', 'runAsInvoker'])
      expect(definition).toMatchObject({ catalog: 'awsdatacatalog', runAsInvoker: false })
    }
  })
})
