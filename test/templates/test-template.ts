import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readStackTemplate, type StackTemplate } from '../../local/stack-template.ts'

/** A resource in a template. */
export interface TestResource {
  readonly Type: string
  readonly Properties?: object
}

/** Reads resources as if they had been synthesised. */
export function readResources(resources: Readonly<Record<string, TestResource>>): StackTemplate {
  return readTemplateText(JSON.stringify({ Resources: resources }))
}

/** Reads the synthesised template with its text changed. */
export function readChanged(assembly: string, change: (text: string) => string): StackTemplate {
  return readTemplateText(change(readFileSync(join(assembly, 'SearchService.template.json'), 'utf8')))
}

function readTemplateText(text: string): StackTemplate {
  const folder = mkdtempSync(join(tmpdir(), 'template-'))
  try {
    writeFileSync(join(folder, 'Test.template.json'), text)
    return readStackTemplate(folder, 'Test')
  } finally {
    rmSync(folder, { recursive: true })
  }
}
