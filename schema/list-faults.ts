import * as v from 'valibot'

/** Lists the faults of a value: `<field> <rule>` each, or only the rule if the value itself breaks it. */
export const listFaults = (issues: readonly v.BaseIssue<unknown>[], whole?: string): readonly string[] =>
  issues.map((issue) => [v.getDotPath(issue) ?? whole, issue.message].filter((part) => part !== undefined).join(' '))
