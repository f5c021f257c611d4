//! Tests of completion, and of lines that are being typed.

use super::*;

fn vocabulary() -> Vocabulary {
    let (_, mut console) = crate::tests::session();
    assert!(
        !console
            .execute("load scenarios/hoop/table.ron", &mut ())
            .failed
    );
    console.vocabulary()
}

#[test]
fn words_are_completed() {
    let vocabulary = vocabulary();
    for (line, expected) in [
        ("bac", "back"),
        ("set K_b", "K_braking"),
        ("why not acc", "accelerating"),
        ("run u", "until"),
        ("run until cont", "contact"),
        ("Vy = integral(A", "Ay"),
        ("Vy = integ", "integral("),
        ("case ma", "main"),
        ("help bla", "blame"),
        ("drop 3", "3"),
        ("print `F", "Fel"),
        ("set step", "step"),
        ("set stepping = ", "events"),
        ("set method = ", "rodas5p"),
        ("set locate = one", "one-sided"),
        ("set K_braking = ", "8000"),
    ] {
        let (start, found) = vocabulary.complete(line, line.len());
        let texts: Vec<&str> = found.iter().map(|one| &*one.text).collect();
        assert!(texts.contains(&expected), "{line}: {texts:?}");
        assert!(start <= line.len());
    }
    let (_, found) = vocabulary.complete("Fel", 3);
    assert_eq!(found[0].about, "elastic reaction (Fупр)");
    assert!(
        vocabulary
            .complete("показать Ш", "показать Ш".len())
            .1
            .is_empty()
    );
}

#[test]
fn parts_of_lines_are_told_apart() {
    let vocabulary = vocabulary();
    for (line, expected) in [
        ("run until h", "Command:run Name:h"),
        (
            "Fel = 2 * def when contact",
            "Name:Fel Number:2 Name:def Keyword:when Name:contact",
        ),
        (
            "Fel = 2 * dof when contact",
            "Name:Fel Number:2 Wrong:dof Keyword:when Name:contact",
        ),
        ("Fel = 2 # two", "Name:Fel Number:2 Remark:# two"),
        (
            "Fel = 2 * * def + 1",
            "Name:Fel Number:2 Wrong:* Name:def Number:1",
        ),
        ("Fel = 2 * de", "Name:Fel Number:2"),
    ] {
        let parts = vocabulary.parts(line);
        let said: Vec<String> = parts
            .iter()
            .map(|(range, part)| format!("{part:?}:{}", &line[range.clone()]))
            .collect();
        assert_eq!(said.join(" "), expected, "{line}");
    }
}

#[test]
fn rules_may_take_several_lines() {
    for (line, more) in [
        ("Fel = K * def &", true),
        ("Fel = min(h,", true),
        ("Fel = 3 +", true),
        ("print h", false),
        ("plot h > a/", false),
        ("when a: b", false),
        ("x = 1 # (", false),
        ("step \\", true),
        ("x = `a", true),
    ] {
        assert_eq!(is_incomplete(line), more, "{line}");
    }
}

#[test]
fn any_text_can_be_looked_at() {
    let vocabulary = vocabulary();
    let letters = [
        '`', '#', 'h', 'ш', '=', ':', '(', ' ', '1', '.', '"', '/', '\\', '\n',
    ];
    for number in 0..20_000_usize {
        let mut rest = number;
        let line: String = std::iter::from_fn(|| {
            let letter = letters[rest % letters.len()];
            rest /= letters.len();
            (rest > 0).then_some(letter)
        })
        .collect();
        let (start, _) = vocabulary.complete(&line, line.len());
        assert!(line.is_char_boundary(start));
        let parts = vocabulary.parts(&line);
        assert!(
            parts
                .windows(2)
                .all(|pair| pair[0].0.end <= pair[1].0.start),
            "{line}"
        );
        is_incomplete(&line);
    }
}

#[test]
fn elements_are_completed_behind_their_bracket() {
    let mut console = Console::default();
    for line in ["real u[1 .. 3] = 0", "real g[1 .. 2, 1 .. 2] = 0"] {
        assert!(!console.execute(line, &mut ()).failed);
    }
    let vocabulary = console.vocabulary();
    let texts = |line: &str| {
        let (start, found) = vocabulary.complete(line, line.len());
        let texts: Vec<String> = found.into_iter().map(|one| one.text).collect();
        (start, texts.join(" "))
    };
    assert_eq!(texts("why u["), (4, "u[1] u[2] u[3]".to_owned()));
    assert_eq!(texts("why g[2,"), (4, "g[2,1] g[2,2]".to_owned()));
}
