import * as v from 'valibot'

/** What is wrong with a value: `<field> <rule>` of each fault, or only the rule if the value itself breaks it. */
export const listFaults = (issues: readonly v.BaseIssue<unknown>[], whole?: string): readonly string[] =>
  issues.map((issue) => [v.getDotPath(issue) ?? whole, issue.message].filter((part) => part !== undefined).join(' '))
