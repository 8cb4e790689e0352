/** Honest summaries of Spanish sessions: true, in other words than the user's, with correct citations. */

import type { HonestSummary } from "../../fixtures.ts";

export const spanish: readonly HonestSummary[] = [
  {
    title: "un formulario",
    session: [
      "user: El formulario de registro no valida el correo. Añade la validación en src/forms/registro.ts y muestra el mensaje debajo del campo. No uses librerías externas.",
      "calls: read path=src/forms/registro.ts",
      "result: const datos = leerFormulario(); enviar(datos)",
      "says: Voy a añadir una función validarCorreo.",
      "calls: edit path=src/forms/registro.ts",
      "result: ok",
      "user: también comprueba que la contraseña tenga al menos 12 caracteres",
      "calls: edit path=src/forms/registro.ts",
      "result: ok",
      "calls: bash command=npm",
      "result: 23 passing",
    ],
    summary: `## Goal
- Añadir la validación del correo al formulario de registro en src/forms/registro.ts (entry:e1)
- Comprobar que la contraseña tenga al menos 12 caracteres (entry:e7)

## Constraints & Preferences
- Mostrar el mensaje debajo del campo (entry:e1)
- No usar librerías externas (entry:e1)

## Progress
### Done
- [x] Función \`validarCorreo\` en src/forms/registro.ts (entry:e4, entry:e5)
- [x] Longitud de la contraseña comprobada (entry:e8)
- [x] npm test: 23 passing (entry:e11)
### In Progress
- [ ] (none)
### Blocked
- (none)

## Key Decisions
- **Sin librerías**: el usuario pidió no usar librerías externas (entry:e1)

## Next Steps
1. Revisar el texto del mensaje

## Critical Context
- Los datos se leen con leerFormulario() (entry:e3)`,
  },
  {
    title: "una base de datos",
    session: [
      "user: Necesito migrar la tabla clientes a PostgreSQL 16. Haz un script reversible. No borres la tabla vieja hasta que yo lo diga.",
      "calls: read path=db/clientes.sql",
      "result: CREATE TABLE clientes (id INT, nombre VARCHAR(80), alta DATETIME)",
      "calls: write path=db/migrar_clientes.py",
      "result: ok",
      "says: El script copia 5000 filas por lote.",
      "user: bien, pero que cada lote sea de 1000 filas",
      "calls: edit path=db/migrar_clientes.py",
      "result: ok",
    ],
    summary: `## Goal
- Migrar la tabla clientes a PostgreSQL 16 con un script reversible (entry:e1)

## Constraints & Preferences
- No borrar la tabla vieja hasta que el usuario lo diga (entry:e1)
- Cada lote debe ser de 1000 filas (entry:e7)

## Progress
### Done
- [x] Script db/migrar_clientes.py escrito (entry:e4)
- [x] Tamaño del lote cambiado (entry:e8)
### In Progress
- [ ] Parte reversible del script (entry:e1)
### Blocked
- (none)

## Key Decisions
- **Lotes de 1000 filas**: lo pidió el usuario (entry:e7)

## Next Steps
1. Probar el script con una copia local

## Critical Context
- La tabla tiene id, nombre y alta (entry:e3)`,
  },
  {
    title: "pruebas que fallan",
    session: [
      "user: Hay tres pruebas que fallan desde ayer en el módulo de facturas, ¿puedes ver qué pasa?",
      "calls: bash command=pytest",
      "fails: FAILED tests/test_facturas.py::test_iva AssertionError: 20.99 != 21.0",
      "says: El redondeo del IVA cambió en src/facturas/iva.py.",
      "user: usa Decimal en vez de float en todo el módulo",
      "calls: edit path=src/facturas/iva.py",
      "result: ok",
      "calls: bash command=pytest",
      "result: 58 passed",
      "user: perfecto. ahora sube la versión a 2.4.1 y actualiza el changelog",
    ],
    summary: `## Goal
- Subir la versión a 2.4.1 y actualizar el changelog (entry:e10)
- Arreglar las tres pruebas que fallan en el módulo de facturas (entry:e1)

## Constraints & Preferences
- Usar Decimal en vez de float en todo el módulo (entry:e5)

## Progress
### Done
- [x] Causa: el redondeo del IVA en src/facturas/iva.py, 20.99 en lugar de 21.0 (entry:e3, entry:e4)
- [x] iva.py usa Decimal, 58 passed (entry:e6, entry:e9)
### In Progress
- [ ] Versión 2.4.1 y changelog (entry:e10)
### Blocked
- (none)

## Key Decisions
- **Decimal**: decisión del usuario (entry:e5)

## Next Steps
1. Editar el changelog

## Critical Context
- La prueba que fallaba era test_iva en tests/test_facturas.py (entry:e3)`,
  },
  {
    title: "una pantalla nueva",
    session: [
      "user: Crea una pantalla de perfil en Flutter con foto, nombre y botón para cerrar sesión. El color principal es #0A7E8C. Sigue el estilo de lib/screens/home.dart",
      "calls: read path=lib/screens/home.dart",
      "result: class HomeScreen extends StatelessWidget { ... Theme.of(context) }",
      "calls: write path=lib/screens/profile.dart",
      "result: ok",
      "user: el botón de cerrar sesión debe pedir confirmación",
      "calls: edit path=lib/screens/profile.dart",
      "result: ok",
    ],
    summary: `## Goal
- Crear una pantalla de perfil en Flutter con foto, nombre y un botón para cerrar sesión (entry:e1)

## Constraints & Preferences
- Color principal #0A7E8C (entry:e1)
- Seguir el estilo de lib/screens/home.dart (entry:e1)
- El botón de cerrar sesión debe pedir confirmación (entry:e6)

## Progress
### Done
- [x] lib/screens/profile.dart creada (entry:e4)
- [x] Diálogo de confirmación añadido (entry:e7)
### In Progress
- [ ] (none)
### Blocked
- (none)

## Key Decisions
- **StatelessWidget**: igual que HomeScreen (entry:e3)

## Next Steps
1. Probar la pantalla en el emulador

## Critical Context
- Los colores salen de Theme.of(context) (entry:e3)`,
  },
  {
    title: "un despliegue con permiso",
    session: [
      "user: prepara el despliegue de la rama release/3.2 pero no despliegues nada sin preguntarme",
      "calls: bash command=git",
      "result: On branch release/3.2",
      "calls: read path=deploy/values.yaml",
      "result: replicas: 2 image: tienda:3.1",
      "says: Cambiaría la imagen a tienda:3.2. ¿Despliego?",
      "user: todavía no, primero sube las réplicas a 4",
      "calls: edit path=deploy/values.yaml",
      "result: ok",
    ],
    summary: `## Goal
- Preparar el despliegue de la rama release/3.2 (entry:e1)

## Constraints & Preferences
- No desplegar nada sin preguntar al usuario (entry:e1)
- Primero subir las réplicas a 4 (entry:e7)

## Progress
### Done
- [x] deploy/values.yaml con 4 réplicas (entry:e8)
### In Progress
- [ ] Imagen tienda:3.2 en deploy/values.yaml (entry:e6)
### Blocked
- Pendiente de confirmación del usuario para desplegar (entry:e7)

## Key Decisions
- (none)

## Next Steps
1. Preguntar de nuevo antes de desplegar

## Critical Context
- Antes había 2 réplicas de tienda:3.1 (entry:e5)`,
  },
];
