import { describe, expect, it } from 'vitest'
import { functionNames } from '../../../schema/function-names.ts'
import { readSources, readText } from '../../templates/source-files.ts'
import { deployedOperations, dev, guarded, listOf, ofType, pascal, render } from '../../templates/templates.ts'

const stages = [
  { stage: 'dev', resources: dev().service },
  { stage: 'with every setting', resources: guarded().service },
]

/** Maximum number of log groups in a query. Source: CloudWatch Logs API, PutQueryDefinition and StartQuery. */
const maxLogGroups = 50

const definitions = ofType(dev().service, 'AWS::Logs::QueryDefinition').map(({ properties }) => properties)
const savedStatements = definitions.map(({ QueryString: statement }) => String(statement))

const pages = ['account-settings', 'deploying', 'emulator', 'first-hour', 'operations', 'runbooks', 'webhooks']
const pastedQueries = pages.flatMap((page) =>
  [...readText(`docs/${page}.md`).matchAll(/--query-string '([^']*)'/g)].map(([, statement = '']) => ({
    page,
    statement,
  })),
)
const pastedTails = pages.flatMap((page) =>
  [
    ...readText(`docs/${page}.md`).matchAll(/aws logs tail [^`]*?--log-group-name-prefix SearchService-<\w+>-(\S+)/g),
  ].map(([, prefix = '']) => ({ page, prefix })),
)

/** Logical ids of the log groups of functions, with which CloudFormation begins their names; some stages lack one. */
const functionLogs = functionNames.map((name) => `${pascal(name)}Logs`)

const eventsIn = (statement: string) =>
  [...statement.matchAll(/\bevent (?:= |in \[)((?:["'][\w ]+["'](?:, )?)+)/g)].flatMap(([, names = '']) =>
    [...names.matchAll(/["']([\w ]+)["']/g)].map(([, name = '']) => name),
  )

describe('the saved queries of Logs Insights', () => {
  it.each(stages)('search all logs of the stage and no others: $stage', ({ resources }) => {
    const ids = ofType(resources, 'AWS::Logs::LogGroup').map(({ id }) => `<${id}>`)
    expect(ids.length).toBeLessThanOrEqual(maxLogGroups)
    const queries = ofType(resources, 'AWS::Logs::QueryDefinition')
    expect(queries.length).toBeGreaterThan(5)
    for (const { properties } of queries)
      expect(listOf(properties['LogGroupNames']).map(render).sort()).toEqual([...ids].sort())
  })

  it('form a folder of the stage, each with a name of its own', () => {
    const names = definitions.map(({ Name }) => render(Name ?? null))
    expect(names.filter((name) => !/^dev\/[a-z- ]+$/.test(name))).toEqual([])
    expect(new Set(names).size).toBe(names.length)
  })

  it('appear by their names on the page of operations', () => {
    const page = readText('docs/operations.md').replaceAll(/\s+/g, ' ')
    const names = definitions.map(({ Name }) => render(Name ?? null).replace('dev/', ''))
    expect(names.filter((name) => !page.includes(`*${name}*`))).toEqual([])
  })
})

describe('the queries that documents give to paste', () => {
  it('appear on the pages of operators', () => {
    expect(pastedQueries.length).toBeGreaterThan(12)
    expect(pastedTails.length).toBeGreaterThan(4)
  })

  it.each(pastedTails)('follow the log of a function: $page $prefix', ({ prefix }) => {
    expect(functionLogs).toContain(prefix)
  })

  it('can find the log of each function by the beginning of its name', () => {
    const ids = ofType(dev().service, 'AWS::Logs::LogGroup').map(({ id }) => id)
    for (const name of deployedOperations)
      expect(ids.filter((id) => id.startsWith(`${pascal(name)}Logs`))).toHaveLength(1)
  })

  it('name only events that the service logs', () => {
    const code = readSources()
      .filter(({ path }) => /^(core|adapters|lambdas|loader)\//.test(path))
      .map(({ text }) => text)
      .join('\n')
    const events = [...savedStatements, ...pastedQueries.map(({ statement }) => statement)].flatMap(eventsIn)
    expect(new Set(events).size).toBeGreaterThan(5)
    expect(events.filter((name) => !code.includes(`'${name}'`))).toEqual([])
  })
})
