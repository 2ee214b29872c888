/** What compiles the Schematron of others, on rules that say what has to come out. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { brokenByJava, folderOf, withoutJava } from '../support/interop/java-rules.ts'
import { type BrokenRule, rulesOf } from '../support/interop/official-rules.ts'
import { assertEdition } from '../support/interop/peppol-cii.ts'
import { compileSchematron, compileXslt } from '../support/interop/schematron.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** With what Peppol’s have: functions, variables, reports, and the first rule that fits. */
const schematron = `
<schema xmlns="http://purl.oclc.org/dsdl/schematron" xmlns:u="utils" queryBinding="xslt2">
  <ns uri="utils" prefix="u"/>
  <ns uri="http://www.w3.org/2001/XMLSchema" prefix="xs"/>
  <let name="currency" value="/order/@currency"/>
  <function xmlns="http://www.w3.org/1999/XSL/Transform" name="u:is-cents" as="xs:boolean">
    <param name="amount" as="xs:string"/>
    <sequence select="matches($amount, '^[0-9]+[.][0-9]{2}$')"/>
  </function>
  <pattern>
    <rule context="line[@free]">
      <assert id="FREE" test="@amount = '0'" flag="fatal">A free line is 0.</assert>
    </rule>
    <rule context="line">
      <assert id="CENTS" test="u:is-cents(@amount)" flag="fatal">Cents.</assert>
      <assert id="CURRENCY" test="not(@currency) or @currency = $currency" flag="warning">1</assert>
    </rule>
  </pattern>
  <pattern>
    <rule context="order"><report id="EMPTY" test="not(line)" flag="fatal">No line.</report></rule>
  </pattern>
</schema>`

/** Documents, and what they break. */
const cases = {
  '<order currency="EUR"><line amount="1.00"/><line amount="0" free="1"/></order>': [],
  '<order currency="EUR"><line amount="1"/></order>': ['CENTS fatal'],
  '<order currency="EUR"><line amount="1.00" currency="USD"/></order>': ['CURRENCY warning'],
  '<order currency="EUR"><line amount="1.00" free="1"/></order>': ['FREE fatal'],
  '<order currency="EUR"/>': ['EMPTY fatal'],
}
const documents = Object.keys(cases)
const expected = Object.values(cases)

const named = (broken: readonly BrokenRule[]): string[] =>
  broken.map(({ rule, isFatal }) => `${rule} ${isFatal ? 'fatal' : 'warning'}`)

describe('Schematron that SchXslt compiled', () => {
  const source = join(temporaryFolder(), 'rules.sch')
  writeFileSync(source, schematron)
  const compiled = compileSchematron(source)

  test('says what its rules say, in Saxon-JS', async () => {
    const stylesheet = await compiled
    await compileXslt(stylesheet)
    const brokenBy = rulesOf(stylesheet)
    assert.deepEqual(
      documents.map((xml) => named(brokenBy(xml))),
      expected,
    )
  })

  test('says what its rules say, in Saxon-HE', { skip: withoutJava }, async () => {
    const broken = await brokenByJava(await compiled, folderOf(documents))
    assert.deepEqual(broken.map(named), expected)
  })
})

test('Peppol’s rules of another edition than the one that the tests know are refused', () => {
  const newest = '<assert id="PEPPOL-COMMON-R059"/>'
  assertEdition(`Last update: 2026 May release 3.0.21. ${newest}`, 'The file')
  assert.throws(() => assertEdition(`2026 release 3.0.22. ${newest}`, 'The file'), {
    message: 'The file is of release 3.0.22, not of 3.0.21',
  })
  assert.throws(() => assertEdition('2026 May release 3.0.21.', 'The file'), {
    message: 'The file is an edition of 3.0.21 without PEPPOL-COMMON-R059',
  })
})
